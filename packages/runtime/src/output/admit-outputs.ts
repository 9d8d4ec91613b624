import {
  type CompiledHarnessPlan,
  digest,
  type JsonSchema,
  type JsonValue,
  MillforgeError,
  normalizeSchema,
  type PlanNode,
  toPlainJson,
} from '@millforge/contracts';
import type { RuntimeErrorCode } from '../error-codes.ts';
import type { SelectedOutputRequirement } from './selected-output-requirement.ts';

/** A structured result as it is asked for. */
export interface AdmittedOutput {
  /** Whether the terminal is refused without it. */
  readonly required: boolean;
  /** Normal form of its schema. */
  readonly schema: JsonSchema;
  /** Digest of that form. */
  readonly schemaSha256: string;
}

/** What is asked for, by the result of its terminal. */
export type AdmittedOutputs = ReadonlyMap<string, AdmittedOutput>;

/** The argument of a terminal that carries the structured result. */
export const CANDIDATE = 'candidate';

/**
 * Brings what the host asks for to its normal form.
 *
 * @throws `runtime/invalid-output` for a result that the plan does not have, one that is named twice, a
 * terminal whose tool has an argument `candidate` of its own, and a schema outside of the subset.
 */
export function admitOutputs(
  plan: CompiledHarnessPlan,
  requirements: readonly SelectedOutputRequirement[],
): AdmittedOutputs {
  const admitted = new Map<string, AdmittedOutput>();
  for (const { terminalResult, required, schema } of requirements) {
    const node = plan.nodes.find((one) => one.terminal_result === terminalResult);
    if (node === undefined) {
      const known = Object.values(plan.terminal_result_map).toSorted().join(', ');
      throw invalid(`the plan has no terminal ${terminalResult}; it has ${known}`);
    }
    if (admitted.has(terminalResult)) throw invalid(`${terminalResult} is named twice`);
    if (propertiesOf(node.input_schema)[CANDIDATE] !== undefined) {
      throw invalid(`the tool of ${terminalResult} has an argument "candidate" of its own`);
    }
    const normal = normalizeSchema(schema, 'schema', { root: 'any', version: '1.1' });
    if (!normal.ok) throw invalid(normal.message);
    const schemaSha256 = digest(asJson(normal.value));
    admitted.set(terminalResult, { required, schema: normal.value, schemaSha256 });
  }
  return admitted;
}

/** The schema of a terminal's arguments with its structured result beside them. */
export function withCandidate(node: PlanNode, outputs: AdmittedOutputs): JsonSchema {
  const output = outputs.get(node.terminal_result ?? '');
  const { input_schema } = node;
  if (output === undefined || !isObject(input_schema)) return input_schema;
  return {
    ...input_schema,
    properties: { ...input_schema.properties, [CANDIDATE]: output.schema },
    required: output.required
      ? [...input_schema.required, CANDIDATE].toSorted()
      : input_schema.required,
  };
}

/** What a model is told about structured results besides the schema of the tool. */
export function describeOutputs(outputs: AdmittedOutputs): JsonValue {
  return [...outputs]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([terminal_result, { required, schemaSha256 }]) => ({
      candidate_transport: 'terminal_tool_argument',
      required,
      schema_sha256: schemaSha256,
      terminal_result,
    }));
}

function propertiesOf(schema: JsonSchema): { readonly [name: string]: JsonSchema } {
  return isObject(schema) ? schema.properties : {};
}

function isObject(
  schema: JsonSchema,
): schema is Extract<JsonSchema, { readonly properties: object }> {
  return 'properties' in schema;
}

function asJson(schema: JsonSchema): JsonValue {
  return toPlainJson(schema);
}

function invalid(why: string): MillforgeError {
  const code: RuntimeErrorCode = 'runtime/invalid-output';
  return new MillforgeError(code, `The structured result cannot be asked for: ${why}.`);
}
