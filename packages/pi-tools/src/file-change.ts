import type {
  JsonObject,
  JsonValue,
  PreparedTool,
  ToolReconcileContext,
  ToolReconciliation,
  ToolResult,
} from '@millforge/contracts';
import { sha256 } from '@millforge/contracts';
import type { FileTurn } from './file-queue.ts';
import { type FileState, readFileState } from './file-state.ts';
import type { OnEffect } from './pi-tool-options.ts';
import { removeTemporary, replaceFile } from './replace-file.ts';
import { displayPath } from './resolve-path.ts';
import { answering } from './tool-fault.ts';

/** A change of one file that is decided but not made. */
export interface FileChange {
  readonly tool: 'edit' | 'write';
  readonly turn: FileTurn;
  readonly found: FileState | null;
  readonly bytes: Uint8Array;
  /** What the model reads when it is made. */
  readonly text: string;
  /** Structured result when it is made, besides the path. */
  readonly data: JsonObject;
  readonly workspace: string | null;
  readonly onEffect: OnEffect | undefined;
}

/**
 * Hands over a decided change as the act of a tool. Its evidence holds the digests before and after and
 * the answer, so that a resumed run can find out what happened by looking at the file.
 */
export function prepareChange(change: FileChange): PreparedTool {
  const { turn, found, bytes } = change;
  const path = displayPath(turn.target, change.workspace);
  const after = sha256(bytes);
  const data = { truncated: false, changed_path: path, ...change.data };
  const done: ToolResult = {
    kind: 'done',
    text: change.text,
    data,
    after: { path, sha256: after, bytes: bytes.length },
  };
  return {
    kind: 'prepared',
    before: {
      path,
      sha256_before: found?.sha256 ?? null,
      sha256_after: after,
      bytes_before: found?.bytes.length ?? null,
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
          onEffect: (phase) => change.onEffect?.(change.tool, phase, turn.target),
        });
        return done;
      }),
    async dispose() {
      turn.release();
    },
  };
}

/** Finds out by the digest of the file whether an interrupted change was made. */
export async function reconcileChange(
  target: string,
  context: ToolReconcileContext,
): Promise<ToolReconciliation> {
  const evidence = readEvidence(context.before);
  if (evidence === null) return { kind: 'unknown', evidence: { reason: 'no evidence was kept' } };
  const found = (await readFileState(target))?.sha256 ?? null;
  if (found === evidence.after) {
    await removeTemporary(target, context.idempotencyKey);
    const after = { path: evidence.path, sha256: found, bytes: evidence.bytes };
    return {
      kind: 'happened',
      result: { kind: 'done', text: evidence.text, data: evidence.data, after },
    };
  }
  if (found === evidence.before) {
    await removeTemporary(target, context.idempotencyKey);
    return { kind: 'not-happened', evidence: { path: evidence.path, sha256_found: found } };
  }
  return { kind: 'unknown', evidence: { path: evidence.path, sha256_found: found } };
}

interface Evidence {
  readonly path: string;
  readonly before: string | null;
  readonly after: string;
  readonly bytes: number;
  readonly text: string;
  readonly data: JsonObject;
}

function readEvidence(value: JsonValue | null): Evidence | null {
  if (!isObject(value)) return null;
  const {
    path,
    sha256_before: before,
    sha256_after: after,
    bytes_after: bytes,
    text,
    data,
  } = value;
  if (typeof path !== 'string' || typeof text !== 'string' || !isObject(data)) return null;
  if (typeof after !== 'string' || typeof bytes !== 'number') return null;
  return before === null || typeof before === 'string'
    ? { path, before, after, bytes, text, data }
    : null;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
