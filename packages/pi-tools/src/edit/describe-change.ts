import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';

/** What an edit changed, for the record and for whoever shows it to a person. */
export interface ChangeDescription {
  /** Unified diff with four lines of context; null when it would be too large. */
  readonly patch: string | null;
  /** First line of the new text that differs, from 1. */
  readonly firstChangedLine: number;
}

/** Compares two texts, within fixed work and size. */
export function describeChange(path: string, before: string, after: string): ChangeDescription {
  const isSmall = before.length <= MAX_TEXT && after.length <= MAX_TEXT;
  const patch = isSmall
    ? createTwoFilesPatch(path, path, before, after, undefined, undefined, {
        context: 4,
        maxEditLength: 1000,
        headerOptions: FILE_HEADERS_ONLY,
      })
    : undefined;
  const fits = patch !== undefined && patch.length <= MAX_PATCH;
  return { patch: fits ? patch : null, firstChangedLine: firstDifference(before, after) };
}

function firstDifference(before: string, after: string): number {
  let line = 1;
  for (let index = 0; index < after.length && before[index] === after[index]; index++) {
    if (after[index] === '\n') line++;
  }
  return line;
}

const MAX_TEXT = 1024 * 1024;
const MAX_PATCH = 32 * 1024;
