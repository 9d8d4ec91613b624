import { join } from 'node:path';
import { openKernel } from '@millforge/kernel';
import { crashClock, crashIds } from '../crash/finish-goal.ts';

/** An empty trail, to be copied: making one takes longer than a whole simulation. */
export async function makeTemplate(root: string): Promise<string> {
  const path = join(root, 'template', 'trail.db');
  const kernel = await openKernel({ path, clock: crashClock, ids: crashIds });
  await kernel[Symbol.asyncDispose]();
  return path;
}
