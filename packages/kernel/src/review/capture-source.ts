import type { ArtifactStore } from '@millforge/contracts';
import {
  type CapturedRevision,
  captureRevision,
  type TreeFile,
} from '../artifacts/captured-revision.ts';
import { changedLines } from './changed-lines.ts';
import { isTreePath } from './is-tree-path.ts';
import type {
  CaptureLimits,
  ChangedFile,
  LeftOut,
  LeftOutReason,
  ReviewCapture,
} from './review-capture.ts';
import { loadDocument } from './review-document.ts';
import type { ReviewSource, SourceEntry } from './review-source.ts';

/** What of a source is captured. */
export interface CaptureScope {
  /** Files and folders, by path; null for the whole tree. */
  readonly paths: readonly string[] | null;
  /** How much. */
  readonly limits: Required<CaptureLimits>;
}

/** Reads a source once and keeps its bytes by digest; what is in scope and not kept is listed. */
export async function captureSource(
  source: ReviewSource,
  scope: CaptureScope,
  { store, signal }: { readonly store: ArtifactStore; readonly signal: AbortSignal },
): Promise<ReviewCapture> {
  await using tree = await source.open({ signal });
  const leftOut: LeftOut[] = [];
  const changes: ChangedFile[] = [];
  const missing = new Set(scope.paths ?? []);
  const room = { files: scope.limits.maxFiles, bytes: scope.limits.maxBytes };

  async function* files(): AsyncIterable<TreeFile> {
    for await (const entry of tree.entries) {
      signal.throwIfAborted();
      const { path } = entry;
      if (!isInScope(path, scope.paths, missing)) continue;
      const taken = await take(entry, { room, limits: scope.limits });
      if (typeof taken === 'string') {
        leftOut.push({ path, reason: taken });
        continue;
      }
      if (entry.kind === 'file' && entry.readEarlier !== undefined) {
        changes.push({ path, lines: changedLines(await entry.readEarlier(), taken) });
      }
      yield { path, bytes: taken };
    }
  }

  const { revision } = tree;
  const { maxFileBytes } = scope.limits;
  const ref = await captureRevision(store, { revision, files: files(), maxFileBytes });
  for (const path of missing) {
    const since = tree.unchangedSince?.(path) ?? null;
    leftOut.push(
      since === null ? { path, reason: 'not-in-revision' } : { path, reason: 'not-changed', since },
    );
  }
  const captured = await loadDocument<CapturedRevision>(store, ref.sha256, 'captured_revision');
  return {
    kind: 'review_capture',
    schema_version: '1.0',
    revision,
    captured_revision: ref.sha256,
    files: captured.files,
    changes,
    left_out: leftOut.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  };
}

/** Whether a path is asked for by its own name or by that of a folder above it. */
function isInScope(path: string, asked: readonly string[] | null, missing: Set<string>): boolean {
  if (asked === null) return true;
  const names = asked.filter((name) => path === name || path.startsWith(`${name}/`));
  for (const name of names) missing.delete(name);
  return names.length > 0;
}

/** The bytes of an entry, or why it is left out. */
async function take(
  entry: SourceEntry,
  {
    room,
    limits,
  }: {
    readonly room: { files: number; bytes: number };
    readonly limits: Required<CaptureLimits>;
  },
): Promise<Uint8Array | LeftOutReason> {
  if (entry.kind === 'other') return entry.reason;
  if (!isTreePath(entry.path)) return 'path-leaves-tree';
  if (entry.bytes > limits.maxFileBytes) return 'file-too-large';
  if (room.files === 0 || entry.bytes > room.bytes) return 'scope-too-large';
  const bytes = await entry.read();
  if (bytes === null) return 'bytes-missing';
  if (bytes.byteLength > limits.maxFileBytes) return 'file-too-large';
  room.files -= 1;
  room.bytes -= bytes.byteLength;
  return bytes;
}
