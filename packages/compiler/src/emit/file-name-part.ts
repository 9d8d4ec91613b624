import { sha256 } from '@millforge/contracts';

/**
 * Writes a harness id as the first part of a file name, so that it and the rest have at most 255 bytes.
 *
 * The id is percent-encoded outside `A-Z a-z 0-9 . _ - ~`. Where it is too long it is cut and ends with
 * `~` and a part of its digest, so that two ids never give one name.
 */
export function fileNamePart(harnessId: string, rest: string): string {
  const id = encodeURIComponent(harnessId).replace(/[!'()*]/g, percent);
  if (id.length + rest.length <= MAX_NAME_BYTES) return id;
  const mark = `~${sha256(harnessId).slice(0, 16)}`;
  return `${id.slice(0, MAX_NAME_BYTES - rest.length - mark.length)}${mark}`;
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

const MAX_NAME_BYTES = 255;
