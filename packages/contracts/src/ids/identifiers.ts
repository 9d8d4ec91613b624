/** Reports whether a text is a dotted id, such as a tool, capability or harness id: `builtin.request.inspect`. */
export function isDottedId(text: string): boolean {
  return text.length <= 160 && DOTTED_ID.test(text);
}

/** Reports whether a text is the id of a harness node: `open_ticket`. */
export function isNodeId(text: string): boolean {
  return NODE_ID.test(text);
}

/** Reports whether a text is an artifact id: `patch.summary`. */
export function isArtifactId(text: string): boolean {
  return ARTIFACT_ID.test(text);
}

/** Reports whether a text is a terminal result: `TASK_DONE`. */
export function isTerminalResult(text: string): boolean {
  return TERMINAL_RESULT.test(text);
}

/** Reports whether a text is a tool argument name that a harness may refer to. */
export function isArgumentName(text: string): boolean {
  return ARGUMENT_NAME.test(text);
}

/** Reports whether a text is a SHA-256 digest: 64 lower-case hex digits. */
export function isSha256(text: string): boolean {
  return SHA256.test(text);
}

/** Reports whether model APIs accept a text as the name of a tool: 1 to 64 of `[A-Za-z0-9_-]`. */
export function isModelToolName(text: string): boolean {
  return MODEL_TOOL_NAME.test(text);
}

/** An exact tool version: there are no ranges and no `latest`. */
export interface ToolReference {
  /** The dotted id of the tool. */
  readonly toolId: string;
  /** The version, 1 to 2147483647. */
  readonly toolVersion: number;
}

/** Reads `tool.id@3`; null for anything else, such as a missing version, a range or a leading zero. */
export function parseToolReference(text: string): ToolReference | null {
  const at = text.indexOf('@');
  if (at < 0) return null;
  const toolId = text.slice(0, at);
  const digits = text.slice(at + 1);
  if (!isDottedId(toolId) || !VERSION.test(digits)) return null;
  const toolVersion = Number(digits);
  return toolVersion <= MAX_TOOL_VERSION ? { toolId, toolVersion } : null;
}

/** Writes a reference the way {@link parseToolReference} reads it. */
export function formatToolReference(reference: ToolReference): string {
  return `${reference.toolId}@${reference.toolVersion}`;
}

const DOTTED_ID = /^[a-z][a-z0-9]*(?:[._-][a-z0-9]+)*$/;
const NODE_ID = /^[a-z][a-z0-9_]{0,63}$/;
const ARTIFACT_ID = /^[a-z][a-z0-9._-]{0,127}$/;
const TERMINAL_RESULT = /^[A-Z][A-Z0-9_]{0,127}$/;
const ARGUMENT_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const SHA256 = /^[0-9a-f]{64}$/;
const MODEL_TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const VERSION = /^[1-9][0-9]{0,9}$/;
const MAX_TOOL_VERSION = 2_147_483_647;
