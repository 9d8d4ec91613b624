import {
  defineTool,
  type Idempotency,
  type JsonObject,
  type SideEffectClass,
  type Tool,
  type ToolDefinition,
} from '@millforge/contracts';

/** What one of the built-in tools says about itself; the rest is the same for all. */
export interface BuiltinToolDefinition
  extends Pick<ToolDefinition, 'check' | 'reach' | 'run' | 'prepare' | 'reconcile'> {
  /** End of the id, behind `builtin.`. */
  readonly idEnd: string;
  /** Name shown to the model. */
  readonly name: string;
  readonly description: string;
  /** Properties of the arguments; unknown ones are refused. */
  readonly properties: JsonObject;
  readonly required: readonly string[];
  /** Properties of the result besides `status` and `summary`. */
  readonly results: JsonObject;
  /** Names of the results that are always there. */
  readonly requiredResults: readonly string[];
  readonly capabilities: readonly string[];
  readonly artifacts?: readonly string[];
  readonly sideEffect: SideEffectClass;
  readonly idempotency: Idempotency;
  /** Time limits in seconds: of a call, and for settling after a stop. */
  readonly limits?: { readonly timeoutSeconds: number; readonly graceSeconds: number };
}

/** Makes a built-in tool: id, version, limits and the form of its results. */
export function defineBuiltinTool(definition: BuiltinToolDefinition): Tool {
  const { check, reach, run, prepare, reconcile, artifacts = [] } = definition;
  return defineTool({
    id: `builtin.${definition.idEnd}`,
    version: 1,
    name: definition.name,
    description: definition.description,
    input: closed(definition.properties, definition.required),
    output: closed(
      {
        status: { type: 'string', enum: ['success', 'soft_failure', 'hard_failure'] },
        summary: { type: 'string' },
        ...definition.results,
      },
      ['status', 'summary', ...definition.requiredResults],
    ),
    sideEffect: definition.sideEffect,
    idempotency: definition.idempotency,
    capabilities: definition.capabilities,
    artifacts,
    ...(definition.limits ?? STANDARD_LIMITS),
    maxOutputBytes: 1_048_576,
    maxTextBytes: 65_536,
    redactSecrets: true,
    origin: 'builtin',
    ...(check === undefined ? {} : { check }),
    ...(reach === undefined ? {} : { reach }),
    ...(run === undefined ? {} : { run }),
    ...(prepare === undefined ? {} : { prepare }),
    ...(reconcile === undefined ? {} : { reconcile }),
  });
}

function closed(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: 'object', additionalProperties: false, properties, required };
}

/** Schema of a text. */
export const STRING = { type: 'string' } as const;

/** Schema of a whole number. */
export const INTEGER = { type: 'integer' } as const;

/** Schema of a truth value. */
export const BOOLEAN = { type: 'boolean' } as const;

/** Schema of a list of texts. */
export const STRINGS = { type: 'array', items: STRING } as const;

const STANDARD_LIMITS = { timeoutSeconds: 300, graceSeconds: 10 };
