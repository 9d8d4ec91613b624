import { type ArtifactStore, deepFreeze } from '@millforge/contracts';
import { retrieve } from '../artifacts/captured-revision.ts';
import type { ReviewCapture } from './review-capture.ts';
import { readArtifact } from './review-document.ts';
import type { CapturedTree } from './review-role.ts';

/** Reads the files of a capture, and nothing beside it. */
export function openCapturedTree(
  store: Pick<ArtifactStore, 'open'>,
  capture: ReviewCapture,
): CapturedTree {
  const files = new Map(capture.files.map((file) => [file.path, file]));
  // Findings come file by file: the last one is most often the next one.
  let last: { readonly path: string; readonly lines: readonly string[] | null } | null = null;
  return Object.freeze({
    revision: capture.revision,
    files: deepFreeze(capture.files),
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

/** The lines of a text; an end behind the last one begins no further line. */
function linesOf(text: string): readonly string[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** The text of UTF-8 bytes; null when they are none, or hold a null character. */
function textOf(bytes: Buffer): string | null {
  if (bytes.includes(0)) return null;
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : null;
}
