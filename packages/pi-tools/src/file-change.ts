import { resolve } from 'node:path';
import type {
  JsonObject,
  JsonValue,
  PreparedTool,
  ToolReconcileContext,
  ToolReconciliation,
  ToolResult,
} from '@millforge/contracts';
import { sha256 } from '@millforge/contracts';
import { type FileTurn, takeTurn } from './file-queue.ts';
import { type FoundFile, readFoundFile } from './found-file.ts';
import type { OnEffect } from './pi-tool-options.ts';
import { AT_ONCE_BYTES } from './plain-file.ts';
import { removeTemporary, replaceFile } from './replace-file.ts';
import { displayPath } from './resolve-path.ts';
import { answering, errnoOf } from './tool-fault.ts';

/** A change of one file that is decided but not made. */
export interface FileChange {
  readonly tool: 'edit' | 'edit_anchored' | 'write';
  readonly turn: FileTurn;
  readonly found: FoundFile | null;
  readonly bytes: Uint8Array;
  /** What the model reads when it is made. */
  readonly text: string;
  /** Structured result when it is made, besides the path. */
  readonly data: JsonObject;
  readonly workspace: string | null;
  /** Whether the change outlives a loss of power once it is reported. */
  readonly isDurable: boolean;
  readonly onEffect: OnEffect | undefined;
}

/**
 * Hands over a decided change as the act of a tool. Its evidence tells the file before and after, so that a
 * resumed run can find out what happened by looking. Of a long content that stands in the arguments, the
 * digest is made when it is asked for: to make it takes longer than to write the file.
 */
export function prepareChange(change: FileChange): PreparedTool {
  const { turn, found, bytes } = change;
  const path = displayPath(turn.target, change.workspace);
  const isDerived = change.tool !== 'write';
  const digest = isDerived || bytes.length <= AT_ONCE_BYTES ? sha256(bytes) : null;
  const data = { truncated: false, changed_path: path, ...change.data };
  const done: ToolResult = {
    kind: 'done',
    text: change.text,
    data,
    after: { path, sha256: digest, bytes: bytes.length },
  };
  return {
    kind: 'prepared',
    before: {
      path,
      sha256_before: found?.sha256 ?? null,
      sha256_after: digest,
      version_before: found?.version ?? null,
      bytes_before: found?.size ?? null,
      bytes_after: bytes.length,
      mode: found === null ? null : found.mode.toString(8),
      text: change.text,
      data,
    },
    run: ({ idempotencyKey, signal }) =>
      answering(async () => {
        await replaceFile({
          target: turn.target,
          bytes,
          found,
          idempotencyKey,
          signal,
          isDurable: change.isDurable,
          onEffect: (phase) => change.onEffect?.(change.tool, phase, turn.target),
        });
        return done;
      }),
    async dispose() {
      turn.release();
    },
  };
}

/**
 * Finds out by looking at the file whether an interrupted change was made. `intended` is the whole new
 * content, where the arguments of the call have it.
 *
 * The file is the one that the evidence names: links, and what stands beside them, may lead elsewhere by now.
 */
export async function reconcileChange(
  context: ToolReconcileContext,
  intended: string | null,
): Promise<ToolReconciliation> {
  const evidence = readEvidence(context.before, intended);
  if (evidence === null) return { kind: 'unknown', evidence: { reason: 'no evidence was kept' } };
  const target = resolve(context.workspace ?? '/', evidence.path);
  try {
    const answer = compare(evidence, await findInTurn(target, context.signal));
    if (answer.kind !== 'unknown') removeTemporary(target, context.idempotencyKey);
    return answer;
  } catch (error) {
    const code = errnoOf(error);
    if (code === null || context.signal.aborted) throw error;
    const reason = `what is there cannot be read (${code})`;
    return { kind: 'unknown', evidence: { path: evidence.path, reason } };
  }
}

async function findInTurn(target: string, signal: AbortSignal): Promise<FoundFile | null> {
  const turn = await takeTurn(target, signal);
  try {
    return await readFoundFile(target);
  } finally {
    turn.release();
  }
}

function compare(evidence: Evidence, now: FoundFile | null): ToolReconciliation {
  const { path, bytes, text, data } = evidence;
  const found = now?.sha256 ?? null;
  if (found === evidence.after) {
    const after = { path, sha256: found, bytes };
    return { kind: 'happened', result: { kind: 'done', text, data, after } };
  }
  const isUntouched =
    now === null
      ? evidence.version === null
      : found === evidence.before || now.version === evidence.version;
  return {
    kind: isUntouched ? 'not-happened' : 'unknown',
    evidence: { path, sha256_found: found },
  };
}

interface Evidence {
  readonly path: string;
  /** Digest before; null where there was no file, or a long one. */
  readonly before: string | null;
  /** Version before; null where there was no file. */
  readonly version: string | null;
  readonly after: string;
  readonly bytes: number;
  readonly text: string;
  readonly data: JsonObject;
}

function readEvidence(value: JsonValue | null, intended: string | null): Evidence | null {
  if (!isObject(value)) return null;
  const { path, text, data, bytes_after: bytes } = value;
  const { sha256_before: before, version_before: version } = value;
  const after = value['sha256_after'] ?? (intended === null ? null : sha256(intended));
  if (typeof path !== 'string' || typeof text !== 'string' || !isObject(data)) return null;
  if (typeof after !== 'string' || typeof bytes !== 'number') return null;
  if (!isTextOrNull(before) || !isTextOrNull(version)) return null;
  return { path, before, version, after, bytes, text, data };
}

function isTextOrNull(value: JsonValue | undefined): value is string | null {
  return value === null || typeof value === 'string';
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
