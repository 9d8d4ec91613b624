import {
  defineTool,
  type Idempotency,
  type JsonObject,
  type SideEffectClass,
  type Tool,
  type ToolDefinition,
} from '@millforge/contracts';

/** What one of the Pi-compatible tools says about itself; the rest is the same for all. */
export interface PiToolDefinition
  extends Pick<ToolDefinition, 'check' | 'reach' | 'run' | 'prepare' | 'reconcile'> {
  /** Name shown to the model, and end of the id. */
  readonly name: string;
  /** End of the id where it is not the name. */
  readonly idEnd?: string;
  readonly description: string;
  /** Properties of the arguments; unknown ones are refused. */
  readonly properties: JsonObject;
  readonly required: readonly string[];
  readonly capabilities: readonly string[];
  readonly sideEffect: SideEffectClass;
  readonly idempotency: Idempotency;
  /** Properties of the structured result besides `truncated`. */
  readonly results?: JsonObject;
  /** Names of the results that are always there. */
  readonly requiredResults?: readonly string[];
  /** Time limits in seconds: of a call, and for settling after a stop. */
  readonly limits?: { readonly timeoutSeconds: number; readonly graceSeconds: number };
}

/** Makes a tool of the Pi family: id, version, limits and the form of its results. */
export function definePiTool(definition: PiToolDefinition): Tool {
  const { check, reach, run, prepare, reconcile } = definition;
  const limits = definition.limits ?? { timeoutSeconds: CALL_SECONDS, graceSeconds: 30 };
  return defineTool({
    id: `builtin.pi_compat.${definition.idEnd ?? definition.name}`,
    version: 1,
    name: definition.name,
    description: definition.description,
    input: closed(definition.properties, definition.required),
    output: closed({ truncated: { type: 'boolean' }, ...definition.results }, [
      'truncated',
      ...(definition.requiredResults ?? []),
    ]),
    sideEffect: definition.sideEffect,
    idempotency: definition.idempotency,
    capabilities: definition.capabilities,
    ...limits,
    maxOutputBytes: 131_072,
    maxTextBytes: 65_536,
    redactSecrets: false,
    origin: 'pi',
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

/** Time of a call of any tool that does not end the run, in seconds. */
export const CALL_SECONDS = 1800;

/** Capability of the tools that look at any file of the host. */
export const READ_FILES = 'unrestricted.filesystem.read';

/** Capability of the tools that change any file of the host. */
export const WRITE_FILES = 'unrestricted.filesystem.write';
