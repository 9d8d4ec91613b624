import { MillforgeError } from '../error/millforge-error.ts';
import { isArtifactId, isDottedId, isModelToolName } from '../ids/identifiers.ts';
import { digest } from '../json/digest.ts';
import { exceedsUtf8 } from '../json/exceeds-utf8.ts';
import { deepFreeze } from '../json/freeze.ts';
import type { ExactJson, JsonObject, JsonValue } from '../json/json-value.ts';
import { fromStandardSchema } from '../json-schema/from-standard-schema.ts';
import { normalizeSchema } from '../json-schema/normalize-schema.ts';
import type { JsonSchema } from '../json-schema/schema.ts';
import { withoutAnnotations } from '../json-schema/without-annotations.ts';
import { TOOL_APPROVALS, type ToolApproval } from './tool-approval.ts';
import {
  IDEMPOTENCIES,
  type Idempotency,
  SIDE_EFFECT_CLASSES,
  type SideEffectClass,
  TOOL_ORIGINS,
  type ToolDescriptor,
  type ToolOrigin,
} from './tool-descriptor.ts';
import type {
  LiveToolContext,
  PreparedTool,
  Tool,
  ToolContext,
  ToolImplementation,
  ToolReach,
  ToolReconcileContext,
  ToolReconciliation,
  ToolRefusal,
  ToolResult,
  ToolRunContext,
} from './tool-implementation.ts';

/**
 * A schema as an author has it: of a library that follows Standard Schema (zod 4, arktype), or plain JSON Schema.
 *
 * Only the JSON Schema of it counts, in the accepted subset: refinements and transformations are not run.
 */
export type SchemaSource<Value> = StandardSchema<Value> | object;

/** A schema of a library, as far as its types tell what callers hand in. */
export interface StandardSchema<Value> {
  /** The property by which such schemas are known. */
  readonly '~standard': {
    /** Exists in types only. */
    readonly types?: { readonly input: Value } | undefined;
  };
}

/** A schema of a library, as far as its types tell what it gives out. */
export interface StandardOutputSchema<Value> {
  /** The property by which such schemas are known. */
  readonly '~standard': {
    /** Exists in types only. */
    readonly types?: { readonly output: Value } | undefined;
  };
}

/** A tool as its author writes it; everything optional has the default that its comment names. */
export interface ToolDefinition<Input = JsonObject, Output extends object = JsonObject> {
  /** Dotted id; the prefixes `builtin.`, `connector.` and `forged.` are reserved for their origins. */
  readonly id: string;
  /** Version; default 1. Raise it when the meaning changes. */
  readonly version?: number;
  /** Name shown to the model, `[A-Za-z0-9_-]{1,64}`; default the last part of the id. */
  readonly name?: string;
  /** What the model reads about it; at most 4,096 bytes. */
  readonly description: string;
  /** Schema of the arguments, an object at its root; gives `check`, `run` and the others their type. */
  readonly input: SchemaSource<Input>;
  /** Schema of the structured result; default an object without properties. Gives `data` its type. */
  readonly output?: StandardOutputSchema<Output> | object;
  /** Arguments that show how it is called, each valid; kept with the schema, in no digest. */
  readonly examples?: readonly NoInfer<Input>[];
  /** The strongest thing a call may do. */
  readonly sideEffect: SideEffectClass;
  /** Whether a call may be repeated. */
  readonly idempotency: Idempotency;
  /** Capabilities that a caller must hold; at least one unless the tool only reads. */
  readonly capabilities?: readonly string[];
  /** Artifacts that a call may produce; default none. */
  readonly artifacts?: readonly string[];
  /** Seconds a call may run; default 60. */
  readonly timeoutSeconds?: number;
  /** Seconds a cancelled call may take to settle; default 5. */
  readonly graceSeconds?: number;
  /** Bytes of canonical JSON that the structured result may take; default 131,072. */
  readonly maxOutputBytes?: number;
  /** UTF-8 bytes of text that the model reads; default 65,536. */
  readonly maxTextBytes?: number;
  /** Whether secret-looking text in results is replaced; default true. */
  readonly redactSecrets?: boolean;
  /** Names the code; default `impl.<id>.v<version>`. */
  readonly implementationId?: string;
  /** Where the tool comes from; default `custom`. */
  readonly origin?: ToolOrigin;
  /** Whether somebody has to agree to every call; default `none`. */
  readonly approval?: ToolApproval;
  /** Pure refusals beyond the schema. */
  readonly check?: (input: NoInfer<Input>, context: ToolContext) => ToolRefusal | null;
  /** Words for the model why arguments do not fit the schema; null leaves that to the house. Pure. */
  readonly explainArguments?: (input: JsonValue) => string | null;
  /** Says what a call would reach, so that a capability with constraints can be used. Pure. */
  readonly reach?: (input: NoInfer<Input>, context: ToolContext) => ToolReach;
  /** The act, for a tool that need not look at the world first. Give this or `prepare`. */
  readonly run?: (
    input: NoInfer<Input>,
    context: ToolRunContext,
  ) => Promise<ToolResult<NoInfer<Output>>>;
  /** Looks at the world and hands over the act. Give this or `run`. */
  readonly prepare?: (
    input: NoInfer<Input>,
    context: LiveToolContext,
  ) => Promise<PreparedTool<NoInfer<Output>> | ToolRefusal>;
  /** Finds out whether an interrupted call happened. */
  readonly reconcile?: (
    input: NoInfer<Input>,
    context: ToolReconcileContext,
  ) => Promise<ToolReconciliation<NoInfer<Output>>>;
}

/**
 * Makes a tool out of its definition: a frozen descriptor and the code behind it.
 *
 * @throws `tool/invalid-definition` naming the field and what was expected.
 */
export function defineTool<Input = JsonObject, Output extends object = JsonObject>(
  definition: ToolDefinition<Input, Output>,
): Tool;
export function defineTool(definition: ToolDefinition): Tool {
  // The types are a promise of the author, who may write plain JavaScript.
  if (typeof definition !== 'object' || definition === null)
    throw invalid('whole', 'must be an object');
  const { id, version = 1, capabilities = [], artifacts = [] } = definition;
  const { origin = 'custom', redactSecrets = true, approval = 'none' } = definition;
  demand(isText(id, 160) && isDottedId(id), 'id', 'a dotted id of at most 160 characters');
  const name = definition.name ?? id.slice(id.lastIndexOf('.') + 1);
  demand(isText(name, 64) && isModelToolName(name), 'name', '1 to 64 of A-Z a-z 0-9 _ -');
  demand(isText(definition.description, 4096), 'description', 'text of 1 to 4,096 bytes');
  const implementationId = definition.implementationId ?? `impl.${id}.v${version}`;
  demand(isText(implementationId, 256), 'implementationId', 'text of 1 to 256 bytes');
  demandOneOf(definition.sideEffect, 'sideEffect', SIDE_EFFECT_CLASSES);
  demandOneOf(definition.idempotency, 'idempotency', IDEMPOTENCIES);
  demandOneOf(origin, 'origin', TOOL_ORIGINS);
  demandOneOf(approval, 'approval', TOOL_APPROVALS);
  demand(typeof redactSecrets === 'boolean', 'redactSecrets', 'true or false');
  demandIds(capabilities, 'capabilities', isDottedId);
  demandIds(artifacts, 'artifacts', isArtifactId);
  const acts = definition.sideEffect !== 'read_only' || artifacts.length > 0;
  demand(
    !acts || capabilities.length > 0,
    'capabilities',
    'at least one for a tool with effects or artifacts',
  );
  const descriptor: ToolDescriptor = {
    schema_version: 1,
    kind: 'millforge.tool_descriptor.v1',
    tool_id: id,
    tool_version: integer(version, 'version', 2_147_483_647),
    implementation_id: implementationId,
    model_tool_name: name,
    description: definition.description,
    input_schema: withExamples(schema(definition.input, 'input'), definition.examples),
    output_schema: schema(definition.output ?? EMPTY_OBJECT, 'output'),
    required_capabilities: capabilities.toSorted(),
    produced_artifact_ids: artifacts.toSorted(),
    side_effect_class: definition.sideEffect,
    idempotency: definition.idempotency,
    timeout_policy: {
      timeout_seconds: integer(definition.timeoutSeconds ?? 60, 'timeoutSeconds', 86_400),
      cancellation_grace_seconds: integer(definition.graceSeconds ?? 5, 'graceSeconds', 3600),
    },
    output_policy: {
      max_output_bytes: integer(definition.maxOutputBytes ?? 131_072, 'maxOutputBytes', 67_108_864),
      max_summary_utf8: integer(definition.maxTextBytes ?? 65_536, 'maxTextBytes', 65_536),
      redact_secrets: redactSecrets,
    },
  };
  return Object.freeze({
    descriptor: deepFreeze(descriptor),
    origin,
    implementation: implementation(definition),
    ...(approval === 'none' ? {} : { approval }),
  });
}

/** Digest of a descriptor; every field is covered, only the annotations of its schemas are not. */
export function descriptorDigest(descriptor: ToolDescriptor): string {
  const payload = {
    ...descriptor,
    input_schema: withoutAnnotations(descriptor.input_schema),
    output_schema: withoutAnnotations(descriptor.output_schema),
  };
  // A descriptor is JSON by its type, but an interface has no index signature; the encoder refuses anything else.
  return digest(payload as object as ExactJson);
}

function implementation(definition: ToolDefinition): ToolImplementation {
  for (const stage of STAGES) {
    const code = definition[stage];
    demand(code === undefined || typeof code === 'function', stage, 'a function');
  }
  const { check, explainArguments, reach, run, reconcile } = definition;
  const prepare = definition.prepare ?? (run === undefined ? undefined : prepareToRun(run));
  if (prepare === undefined || (run !== undefined && definition.prepare !== undefined)) {
    throw invalid('run', 'must be given, or prepare, but not both');
  }
  return Object.freeze({
    ...(check === undefined ? {} : { check }),
    ...(explainArguments === undefined ? {} : { explainArguments }),
    ...(reach === undefined ? {} : { reach }),
    ...(reconcile === undefined ? {} : { reconcile }),
    prepare,
  });
}

function prepareToRun(run: NonNullable<ToolDefinition['run']>): ToolImplementation['prepare'] {
  return (input) => ({
    kind: 'prepared',
    before: null,
    run: (context) => run(input, context),
  });
}

function schema(source: object, field: string): JsonSchema {
  const raw = fromStandardSchema(source, field === 'input' ? 'input' : 'output');
  if (!raw.ok) throw invalid(field, raw.message);
  const normal = normalizeSchema(raw.value, `/${field}`, { version: '1.1' });
  if (normal.ok) return normal.value;
  throw invalid(field, `must be a schema of the accepted subset: ${normal.message}`);
}

/** Examples stand with the schema, where the model and a person find them; a wrong one helps nobody. */
function withExamples(
  inputSchema: JsonSchema,
  examples: readonly JsonObject[] | undefined,
): JsonSchema {
  if (examples === undefined) return inputSchema;
  demand(Array.isArray(examples), 'examples', 'a list of arguments');
  const described = normalizeSchema({ ...inputSchema, examples }, '', { version: '1.1' });
  if (described.ok) return described.value;
  throw invalid('examples', `must be valid arguments: ${described.message}`);
}

function demandIds(ids: readonly string[], field: string, isValid: (id: string) => boolean): void {
  const areRight =
    Array.isArray(ids) &&
    ids.every((id) => isText(id, 160) && isValid(id)) &&
    new Set(ids).size === ids.length;
  demand(areRight, field, 'a list of unique ids');
}

function demandOneOf(value: string, field: string, words: readonly string[]): void {
  demand(words.includes(value), field, `one of ${words.join(', ')}`);
}

function integer(value: number, field: string, max: number): number {
  const isRight = Number.isInteger(value) && value >= 1 && value <= max;
  demand(isRight, field, `an integer from 1 to ${max}`);
  return value;
}

function demand(isRight: boolean, field: string, expected: string): void {
  if (!isRight) throw invalid(field, `must be ${expected}`);
}

function invalid(field: string, fault: string): MillforgeError {
  return new MillforgeError(
    'tool/invalid-definition',
    `The ${field} of the tool definition ${fault}.`.replace(/[.]+$/, '.'),
    { details: { field } },
  );
}

/** Asks for the type too: a program in plain JavaScript can hand in anything. */
function isText(text: string, maxBytes: number): boolean {
  return typeof text === 'string' && text.trim() !== '' && !exceedsUtf8(text, maxBytes);
}

const STAGES = ['check', 'explainArguments', 'reach', 'run', 'prepare', 'reconcile'] as const;
const EMPTY_OBJECT = { type: 'object' };
