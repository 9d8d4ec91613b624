import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gate, scope } from '../fixture.ts';
import { ground } from './ground.ts';
import { developContract, MENDED, worker, workers } from './sample.ts';
import { makeTree } from './trees.ts';

/** A build that is stopped in its middle the first time, and begins as a whole each time. */
async function stoppedInBuild(restore: boolean) {
  const begun = gate();
  const found: boolean[] = [];
  const build = worker(
    'build',
    async ({ directory, signal }) => {
      found.push(existsSync(join(directory, 'src/half.sh')));
      makeTree(directory, { 'src/half.sh': { content: '' }, 'src/sum.sh': { content: MENDED } });
      if (found.length > 1) return 'built';
      begun.open();
      await new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason)),
      );
      return 'never';
    },
    { doubt: 'attempt' },
  );
  const parts = await ground({ workers: workers({ build }) });
  const { develop, candidate, checks } = parts;
  await develop.admit(developContract({ restore }), { candidate, checks });
  const run = develop.run('mend-sum');
  await begun.opened;
  run.stop({ now: true });
  return { ...parts, found, stopped: await run.done };
}

test('repeats a build from the tree before it', async () => {
  const { develop, found, stopped } = await stoppedInBuild(true);
  expect(stopped.state).toBe('running');
  const view = await develop.run('mend-sum').done;
  expect([view.state, found]).toEqual(['completed', [false, false]]);
});

test('asks a person about a build that may not be restored, and goes on with its tree when told', async () => {
  const { develop, found, kernel, stopped } = await stoppedInBuild(false);
  const asked = stopped.state === 'held' ? stopped : await develop.run('mend-sum').done;
  expect([asked.state, asked.holds[0]?.reason]).toEqual(['held', 'ambiguous-attempt']);
  await kernel.decide(scope, 'mend-sum', {
    holdId: asked.holds[0]?.hold_id ?? '',
    version: asked.holds[0]?.version ?? 0,
    decision: 'retry',
    reason: 'I looked: it may go on from there.',
  });
  const view = await develop.run('mend-sum').done;
  expect([view.state, found]).toEqual(['completed', [false, true]]);
});

test('removes the work copy of a development that has ended, and of no other', async () => {
  const { develop, root, stopped } = await stoppedInBuild(true);
  expect(stopped.state).toBe('running');
  await expect(develop.discard('mend-sum')).rejects.toMatchObject({ code: 'develop/not-ended' });
  await develop.run('mend-sum').done;
  await develop.discard('mend-sum');
  expect(existsSync(join(root, 'work/mend-sum'))).toBe(false);
  expect((await develop.handoff('mend-sum')).patch).not.toBe(null);
});
