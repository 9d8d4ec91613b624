import type { CompiledHarnessPlan } from '@millforge/contracts';
import { fileNamePart } from './file-name-part.ts';

/**
 * Names the file of a plan: `<harness id>@<version>.<digest>.compiled.json`, at most 255 bytes.
 *
 * The id is percent-encoded outside `A-Z a-z 0-9 . _ - ~`. An id too long for a file name is cut and
 * ends with `~` and a part of its digest; ids of harness sources are never that long.
 */
export function planFileName(
  plan: Pick<CompiledHarnessPlan, 'harness_id' | 'harness_version' | 'compiled_sha256'>,
): string {
  const rest = `@${plan.harness_version}.${plan.compiled_sha256}.compiled.json`;
  return `${fileNamePart(plan.harness_id, rest)}${rest}`;
}
