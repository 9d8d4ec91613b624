import { type ArtifactStore, deepFreeze } from '@millforge/contracts';
import { retrieve } from '../artifacts/captured-revision.ts';
import type { ReviewCapture } from './review-capture.ts';
import { readArtifact } from './review-document.ts';
import type { CapturedTree } from './review-role.ts';
import { linesOf, textOf } from './text-lines.ts';

/** Reads the files of a capture, and nothing beside it. */
export function openCapturedTree(
  store: Pick<ArtifactStore, 'open'>,
  capture: ReviewCapture,
): CapturedTree {
  const files = new Map(capture.files.map((file) => [file.path, file]));
  const changes = new Map(capture.changes.map(({ path, lines }) => [path, lines]));
  // Findings come file by file: the last one is most often the next one.
  let last: { readonly path: string; readonly lines: readonly string[] | null } | null = null;
  return Object.freeze({
    revision: capture.revision,
    files: deepFreeze(capture.files),
    changedLines: (path: string) => changes.get(path) ?? null,
    async readLines(path: string) {
      const file = files.get(path);
      if (file === undefined) return null;
      if (last?.path !== path) {
        const text = textOf(await readArtifact(store, file.sha256));
        last = { path, lines: text === null ? null : linesOf(text) };
      }
      return last.lines;
    },
    retrieve: (query: Parameters<CapturedTree['retrieve']>[0]) =>
      retrieve(store, { ...query, revision: capture.captured_revision }),
  });
}
