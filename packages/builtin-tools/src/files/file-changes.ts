import {
  type JsonObject,
  type JsonValue,
  type PreparedTool,
  sha256,
  type ToolReconcileContext,
  type ToolReconciliation,
  type ToolResult,
} from '@millforge/contracts';
import type { OnEffect } from '../on-effect.ts';
import type { PathPolicy, Workspace, WriteTarget } from '../paths/create-path-policy.ts';
import { pathFault, shown } from '../paths/path-fault.ts';
import { answering, refusal } from '../tool-faults.ts';

/** What becomes of one file. */
export interface FileChange {
  readonly target: WriteTarget;
  /** New bytes; null removes the file. */
  readonly bytes: Uint8Array | null;
  /** Permission bits; null keeps those that it has. */
  readonly mode: number | null;
}

/** Changes of files that are made together, decided on what was found. */
export interface FileChanges {
  readonly policy: PathPolicy;
  /** Folder of the workspace on the host. */
  readonly root: string | null;
  readonly changes: readonly FileChange[];
  /** What the call answers when all are made. */
  readonly text: string;
  readonly data: JsonObject;
  readonly onEffect: OnEffect | undefined;
  /** Lets the next call have the files. */
  release(): void;
}

/** Makes the act of a call that changes files; when one fails, those before it are put back. */
export function prepareChanges(plan: FileChanges): PreparedTool {
  const { changes, text, data } = plan;
  return {
    kind: 'prepared',
    before: { files: changes.map(evidenceOf), text, data },
    run: ({ signal, idempotencyKey: key }) =>
      answering(signal, async () => {
        await using workspace = await plan.policy.openWorkspace(plan.root);
        const made: FileChange[] = [];
        try {
          for (const change of changes) {
            await make(workspace, change, { key, signal, onEffect: plan.onEffect });
            made.push(change);
          }
        } catch (error) {
          if (made.length === 0) throw error;
          return await putBack(workspace, made, { key, error });
        }
        return { kind: 'done', text, data, after: changes.map(stateOf) };
      }),
    async dispose() {
      plan.release();
    },
  };
}

/** Finds out by the digests of the files whether interrupted changes were made: all, none, or who knows. */
export async function reconcileChanges(
  policy: PathPolicy,
  context: ToolReconcileContext,
): Promise<ToolReconciliation> {
  const evidence = readEvidence(context.before);
  if (evidence === null) return { kind: 'unknown', evidence: { reason: 'no evidence was kept' } };
  await using workspace = await policy.openWorkspace(context.workspace);
  const found: { path: string; sha256: string | null }[] = [];
  for (const { asked } of evidence.files) {
    const path = policy.checkWrite(asked);
    const target = await workspace.readTarget(path, { makesFolders: true });
    found.push({ path: target.path, sha256: target.found?.sha256 ?? null });
    await workspace.cleanTarget(target, context.idempotencyKey);
  }
  const isAs = (side: 'before' | 'after'): boolean =>
    evidence.files.every((file, index) => file[side] === found[index]?.sha256);
  if (isAs('after')) {
    const { text, data } = evidence;
    return { kind: 'happened', result: { kind: 'done', text, data, after: found } };
  }
  return { kind: isAs('before') ? 'not-happened' : 'unknown', evidence: { files: found } };
}

async function make(
  workspace: Workspace,
  { target, bytes, mode }: FileChange,
  call: {
    readonly key: string;
    readonly signal: AbortSignal;
    readonly onEffect: OnEffect | undefined;
  },
): Promise<void> {
  const { key, signal, onEffect } = call;
  await workspace.writeTarget(target, {
    bytes,
    mode,
    key,
    signal,
    onEffect: (phase) => onEffect?.(phase, target.path),
  });
}

/** Puts files back, the last one first; whoever changed one meanwhile keeps the change. */
async function putBack(
  workspace: Workspace,
  made: readonly FileChange[],
  { key, error }: { readonly key: string; readonly error: unknown },
): Promise<ToolResult> {
  const { code, message } = refusal(error);
  const left: string[] = [];
  for (const { target, bytes } of made.toReversed()) {
    try {
      const now = await workspace.readTarget(target.asked);
      if ((now.found?.sha256 ?? null) !== digestOf(bytes)) {
        throw pathFault('changed', `${shown(target.path)} was changed meanwhile.`);
      }
      const { found } = target;
      const signal = new AbortController().signal;
      await workspace.writeTarget(now, {
        bytes: found?.bytes ?? null,
        mode: found?.mode ?? null,
        key,
        signal,
      });
    } catch {
      left.push(target.path);
    }
  }
  if (left.length === 0) {
    const text = `${message} The files before it were put back.`;
    return { kind: 'failed', code, text, certainty: 'rolled_back' };
  }
  const text = `${message} These files could not be put back: ${left.map(shown).join(', ')}.`;
  return { kind: 'failed', code: 'io_error', text, certainty: 'completion_unknown' };
}

function evidenceOf({ target, bytes, mode }: FileChange): JsonObject {
  const { found } = target;
  return {
    asked: target.asked.text,
    path: target.path,
    sha256_before: found?.sha256 ?? null,
    sha256_after: digestOf(bytes),
    bytes_before: found?.bytes.length ?? null,
    bytes_after: bytes?.length ?? null,
    mode: (mode ?? found?.mode)?.toString(8) ?? null,
  };
}

function stateOf({ target, bytes }: FileChange): JsonObject {
  return { path: target.path, sha256: digestOf(bytes) };
}

function digestOf(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : sha256(bytes);
}

interface Evidence {
  readonly files: readonly {
    readonly asked: string;
    readonly before: string | null;
    readonly after: string | null;
  }[];
  readonly text: string;
  readonly data: JsonObject;
}

function readEvidence(value: JsonValue | null): Evidence | null {
  if (!isObject(value)) return null;
  const { files, text, data } = value;
  if (!Array.isArray(files) || typeof text !== 'string' || !isObject(data)) return null;
  const read = files.flatMap((file: JsonValue) => {
    if (!isObject(file)) return [];
    const { asked, sha256_before: before, sha256_after: after } = file;
    const isRead = typeof asked === 'string' && isDigest(before) && isDigest(after);
    return isRead ? [{ asked, before, after }] : [];
  });
  return read.length === files.length ? { files: read, text, data } : null;
}

function isDigest(value: JsonValue | undefined): value is string | null {
  return value === null || typeof value === 'string';
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
