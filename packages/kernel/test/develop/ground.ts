import { join } from 'node:path';
import type { Failpoint } from '@millforge/kernel';
import {
  type DevelopContract,
  type OpenDevelopOptions,
  openDevelop,
} from '@millforge/kernel/develop';
import { compareTrees } from '../../src/develop/tree/captured-tree.ts';
import { open, scope, temporaryDirectory } from '../fixture.ts';
import { developContract, makeChecks, makeRepository, runPlain, workers } from './sample.ts';
import { capture } from './trees.ts';

/** A repository, its checks and a kernel; everything else may be given. */
export async function ground(
  more: Partial<OpenDevelopOptions> = {},
  failpoint?: (name: Failpoint) => void,
) {
  const root = temporaryDirectory();
  const kernel = await open(join(root, 'data'), failpoint === undefined ? {} : { failpoint });
  const candidate = makeRepository(join(root, 'repository'));
  const checks = makeChecks(join(root, 'checks'));
  const before = await capture(candidate);
  const develop = openDevelop({
    kernel,
    scope,
    directory: join(root, 'work'),
    workers: workers(),
    runCheck: runPlain,
    ...more,
  });
  const run = async (contract: DevelopContract = developContract()) => {
    const { goal_id } = await develop.admit(contract, { candidate, checks });
    const view = await develop.run(goal_id).done;
    const { document, patch } = await develop.handoff(goal_id);
    return { view, handoff: document, patch: Buffer.from(patch ?? []) };
  };
  /** What differs in the tree that was handed in. */
  const touched = async () => compareTrees(before, await capture(candidate));
  return { root, kernel, candidate, checks, develop, run, touched };
}
