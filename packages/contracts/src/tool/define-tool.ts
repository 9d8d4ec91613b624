import { MillforgeError } from '../error/millforge-error.ts';
import { isArtifactId, isDottedId, isModelToolName } from '../ids/identifiers.ts';
import { digest } from '../json/digest.ts';
import { deepFreeze } from '../json/freeze.ts';
import type { JsonObject } from '../json/json-value.ts';
import { type JsonSchema, normalizeSchema } from '../json-schema/schema.ts';
import type {
  Idempotency,
  SideEffectClass,
  ToolDescriptor,
  ToolOrigin,
} from './tool-descriptor.ts';
import type {
  Tool,
  ToolContext,
  ToolImplementation,
  ToolRefusal,
  ToolResult,
  ToolRunContext,
} from './tool-implementation.ts';

/** A tool as its author writes it; everything optional has the default that its comment names. */
export interface ToolDefinition {
  /** Dotted id; the prefixes `builtin.`, `connector.` and `forged.` are reserved for their origins. */
  readonly id: string;
  /** Version; default 1. Raise it when the meaning changes. */
  readonly version?: number;
  /** Name shown to the model, `[A-Za-z0-9_-]{1,64}`. */
  readonly name: string;
  /** What the model reads about it; at most 4,096 bytes. */
  readonly description: string;
  /** JSON Schema of the arguments, in the accepted subset; an object at its root. */
  readonly input: JsonObject;
  /** JSON Schema of the structured result; default an object without properties. */
  readonly output?: JsonObject;
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
  /** Pure refusals beyond the schema. */
  readonly check?: (input: JsonObject, context: ToolContext) => ToolRefusal | null;
  /** The act, for a tool that need not look at the world first. Give this or `prepare`. */
  readonly run?: (input: JsonObject, context: ToolRunContext) => Promise<ToolResult>;
  /** Looks at the world and hands over the act. Give this or `run`. */
  readonly prepare?: ToolImplementation['prepare'];
  /** Finds out whether an interrupted call happened. */
  readonly reconcile?: ToolImplementation['reconcile'];
}

/**
 * Makes a tool out of its definition: a frozen descriptor and the code behind it.
 *
 * @throws `tool/invalid-definition` naming the field and what was expected.
 */
export function defineTool(definition: ToolDefinition): Tool {
  const version = definition.version ?? 1;
  const descriptor: ToolDescriptor = {
    schema_version: 1,
    kind: 'millforge.tool_descriptor.v1',
    tool_id: demand(definition.id, isDottedId(definition.id), 'id', 'a dotted id'),
    tool_version: integer(version, 'version', 2_147_483_647),
    implementation_id: definition.implementationId ?? `impl.${definition.id}.v${version}`,
    model_tool_name: demand(
      definition.name,
      isModelToolName(definition.name),
      'name',
      '1 to 64 of A-Z a-z 0-9 _ -',
    ),
    description: demand(
      definition.description,
      definition.description.trim() !== '' && utf8Length(definition.description) <= 4096,
      'description',
      'text of 1 to 4,096 bytes',
    ),
    input_schema: schema(definition.input, 'input'),
    output_schema: schema(definition.output ?? EMPTY_OBJECT, 'output'),
    required_capabilities: sortedIds(definition.capabilities ?? [], isDottedId, 'capabilities'),
    produced_artifact_ids: sortedIds(definition.artifacts ?? [], isArtifactId, 'artifacts'),
    side_effect_class: definition.sideEffect,
    idempotency: definition.idempotency,
    timeout_policy: {
      timeout_seconds: integer(definition.timeoutSeconds ?? 60, 'timeoutSeconds', 86_400),
      cancellation_grace_seconds: integer(definition.graceSeconds ?? 5, 'graceSeconds', 3600),
    },
    output_policy: {
      max_output_bytes: integer(definition.maxOutputBytes ?? 131_072, 'maxOutputBytes', 67_108_864),
      max_summary_utf8: integer(definition.maxTextBytes ?? 65_536, 'maxTextBytes', 65_536),
      redact_secrets: definition.redactSecrets ?? true,
    },
  };
  const acts =
    descriptor.side_effect_class !== 'read_only' || descriptor.produced_artifact_ids.length > 0;
  if (acts && descriptor.required_capabilities.length === 0) {
    throw invalid('capabilities', 'at least one capability for a tool with effects');
  }
  return Object.freeze({
    descriptor: deepFreeze(descriptor),
    origin: definition.origin ?? 'custom',
    implementation: implementation(definition),
  });
}

/** Digest of a descriptor; every field is covered. */
export function descriptorDigest(descriptor: ToolDescriptor): string {
  return digest({ ...descriptor } as unknown as JsonObject);
}

function implementation(definition: ToolDefinition): ToolImplementation {
  const { check, run, prepare, reconcile } = definition;
  if ((run === undefined) === (prepare === undefined)) {
    throw invalid('run', 'exactly one of run and prepare');
  }
  return Object.freeze({
    ...(check === undefined ? {} : { check }),
    ...(reconcile === undefined ? {} : { reconcile }),
    prepare:
      prepare ??
      (async (input: JsonObject) => ({
        kind: 'prepared' as const,
        before: null,
        run: (context: ToolRunContext) =>
          run === undefined
            ? Promise.reject(invalid('run', 'exactly one of run and prepare'))
            : run(input, context),
      })),
  });
}

function schema(raw: JsonObject, field: string): JsonSchema {
  const result = normalizeSchema(raw, `/${field}`);
  if (!result.ok) throw invalid(field, `a schema of the accepted subset: ${result.message}`);
  return result.value;
}

function sortedIds(
  ids: readonly string[],
  isValid: (id: string) => boolean,
  field: string,
): readonly string[] {
  if (new Set(ids).size !== ids.length || !ids.every(isValid)) {
    throw invalid(field, 'unique ids of the right form');
  }
  return ids.toSorted();
}

function integer(value: number, field: string, max: number): number {
  return demand(
    value,
    Number.isInteger(value) && value >= 1 && value <= max,
    field,
    `an integer from 1 to ${max}`,
  );
}

function demand<T>(value: T, isRight: boolean, field: string, expected: string): T {
  if (!isRight) throw invalid(field, expected);
  return value;
}

function invalid(field: string, expected: string): MillforgeError {
  return new MillforgeError(
    'tool/invalid-definition',
    `The tool definition's ${field} must be ${expected}.`,
    { details: { field } },
  );
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}

const EMPTY_OBJECT: JsonObject = { type: 'object', additionalProperties: false };
