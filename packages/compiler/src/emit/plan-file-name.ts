import { type CompiledHarnessPlan, sha256 } from '@millforge/contracts';

/**
 * Names the file of a plan: `<harness id>@<version>.<digest>.compiled.json`, at most 255 bytes.
 *
 * The id is percent-encoded outside `A-Z a-z 0-9 . _ - ~`. An id too long for a file name is cut and
 * ends with `~` and a part of its digest; ids of harness sources are never that long.
 */
export function planFileName(
  plan: Pick<CompiledHarnessPlan, 'harness_id' | 'harness_version' | 'compiled_sha256'>,
): string {
  const tail = `@${plan.harness_version}.${plan.compiled_sha256}.compiled.json`;
  const id = encodeURIComponent(plan.harness_id).replace(/[!'()*]/g, percent);
  if (id.length + tail.length <= MAX_NAME_BYTES) return `${id}${tail}`;
  const mark = `~${sha256(plan.harness_id).slice(0, 16)}`;
  return `${id.slice(0, MAX_NAME_BYTES - tail.length - mark.length)}${mark}${tail}`;
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

const MAX_NAME_BYTES = 255;
