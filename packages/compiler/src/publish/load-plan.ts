import {
  MAX_PLAN_BYTES,
  type PlanExpectation,
  type ReadPlanResult,
  readPlan,
} from '@millforge/contracts';
import { errorCode } from './error-code.ts';
import { type PublishFiles, systemFiles } from './publish-files.ts';
import { readBounded } from './read-bounded.ts';

/**
 * Loads a published plan and verifies it: form, invariants, digest, and what is expected of it.
 *
 * Needs nothing but the file: neither source nor catalogs. Reads at most 1 MiB of a regular file and
 * follows no symbolic link in the last place of the path. Never throws.
 */
export async function loadPlan(
  path: string,
  expected: PlanExpectation = {},
  files: Pick<PublishFiles, 'open'> = systemFiles,
): Promise<ReadPlanResult> {
  try {
    const bytes = await readBounded(path, MAX_PLAN_BYTES, files);
    if (bytes !== null) return readPlan(bytes, expected);
    return unreadable(`is larger than ${MAX_PLAN_BYTES} bytes`);
  } catch (error) {
    return unreadable(REASONS.get(errorCode(error)) ?? `could not be read (${errorCode(error)})`);
  }
}

function unreadable(reason: string): ReadPlanResult {
  return { ok: false, problems: [`The plan file ${reason}.`], computedSha256: null };
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'does not exist'],
  ['EACCES', 'may not be read by this user'],
  ['ELOOP', 'is a symbolic link; give the path of the file itself'],
  ['EINVAL', 'is not a regular file'],
  ['EISDIR', 'is a directory'],
]);
