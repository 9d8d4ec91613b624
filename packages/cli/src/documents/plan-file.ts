import { resolve } from 'node:path';
import { type CompiledHarnessPlan, MAX_PLAN_BYTES, readPlan } from '@millforge/contracts';
import { documentError } from '../cli-error.ts';
import { readInputFile } from './read-input-file.ts';

/**
 * Reads a plan and verifies its digest.
 *
 * @throws `cli/usage` for a file that cannot be read; `cli/document` for one that is no plan or a wrong one.
 */
export async function readPlanFile(path: string, cwd: string): Promise<CompiledHarnessPlan> {
  const content = await readInputFile({
    path: resolve(cwd, path),
    what: 'plan',
    maxBytes: MAX_PLAN_BYTES,
  });
  const read = readPlan(content);
  if (read.ok) return read.plan;
  throw documentError(
    `${path} is not a plan that can be used: ${read.problems[0] ?? ''} 'millforge compile' makes one of a source.`,
  );
}
