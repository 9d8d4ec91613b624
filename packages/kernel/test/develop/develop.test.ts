import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DevelopContract, openDevelop } from '@millforge/kernel/develop';
import { expect, test } from 'vitest';
import { records, scope } from '../fixture.ts';
import { ground } from './ground.ts';
import {
  developContract,
  HIDDEN_WORDS,
  MENDED,
  runPlain,
  worker,
  workers,
  write,
} from './sample.ts';
import { git, makeTree } from './trees.ts';

test('develops a real repository and hands over a patch that git applies', async () => {
  const { run, candidate, touched, root } = await ground();
  const { view, handoff, patch } = await run();
  expect([view.state, view.failure]).toEqual(['completed', null]);
  expect(handoff).toMatchObject({
    kind: 'develop_handoff',
    goal: { goal_id: 'mend-sum', state: 'completed' },
    verdicts: [
      {
        round: 1,
        verify: 'pass',
        health: 'pass',
        criteria: [
          { name: 'test', hidden: false, passed: true },
          { name: 'zebra-sums', hidden: true, passed: true },
        ],
      },
    ],
    violations: [],
    gaps: [expect.stringMatching(/without a boundary/)],
    patch: { files: 1, bytes: patch.length },
  });
  expect(handoff.receipts.map(({ task_id }) => task_id)).toEqual([
    'prepare',
    'plan-1',
    'research-1',
    'build-1',
    'debug-1',
    'verify-1',
    'health-1',
  ]);
  expect(await touched()).toEqual([]);
  const file = join(root, 'the.patch');
  writeFileSync(file, patch);
  git(candidate, ['apply', '--check', file]);
  git(candidate, ['apply', file]);
  expect(readFileSync(join(candidate, 'src/sum.sh'), 'utf8')).toBe(MENDED);
  expect(git(candidate, ['status', '--porcelain'])).toBe(' M src/sum.sh\n?? node_modules/\n');
});

test('catches a build that writes where it may not, and names the path', async () => {
  const build = worker('build', async (context) => {
    writeFileSync(join(context.directory, 'test/sum.test.sh'), '');
    return write(context, 'src/sum.sh', MENDED);
  });
  const { run, touched } = await ground({ workers: workers({ build }) });
  const { view, handoff } = await run();
  expect(view).toMatchObject({
    state: 'failed',
    failure: {
      code: 'integrity-violation',
      message: 'The phase build-1 wrote where it may not: "test/sum.test.sh" was changed.',
    },
  });
  expect(handoff).toMatchObject({
    violations: [{ tree: 'candidate', path: 'test/sum.test.sh', change: 'changed' }],
    patch: null,
  });
  expect(await touched()).toEqual([]);
});

test('fails a build that makes what no patch can hold, and names it', async () => {
  const build = worker('build', (context) => write(context, '.GIT', '[core]'));
  const { run } = await ground({ workers: workers({ build }) });
  const { view } = await run({ ...developContract(), allowed_paths: ['**'] });
  expect(view).toMatchObject({
    state: 'failed',
    failure: { message: expect.stringContaining('".GIT" of the tree has a name that git takes') },
  });
});

const readOnly = ['plan', 'research', 'debug'] as const;
test.each(readOnly)('catches a change that %s leaves, although it may only read', async (phase) => {
  const nosy = worker(phase, async ({ directory }) => {
    mkdirSync(join(directory, 'made'));
    return 'done';
  });
  const { run } = await ground({ workers: workers({ [phase]: nosy }) });
  const { view } = await run();
  expect(view.failure).toEqual({
    code: 'integrity-violation',
    message: `The phase ${phase}-1, which may only read, left changes: "made" was added.`,
  });
});

test('refuses an operation that writes in a phase that may only read', async () => {
  const said: string[] = [];
  const nosy = worker('debug', async (context) => {
    said.push(await write(context, 'src/sum.sh', 'x'));
    return 'done';
  });
  const { run } = await ground({ workers: workers({ debug: nosy }) });
  const { view, patch } = await run();
  expect([said, view.state]).toEqual([['src/sum.sh: refused'], 'completed']);
  expect(patch.toString()).toContain(`+${MENDED}`);
});

/** A build that writes one note, and makes one directory more. */
function notesBuilder(more: string) {
  return worker('build', async ({ directory }) => {
    makeTree(directory, { 'docs/notes/sum.md': { content: 'x' }, [more]: { empty: true } });
    return 'written';
  });
}

test('lets a build make the directories that lead to an allowed path, and no others', async () => {
  const contract = developContract({ allowed_paths: ['docs/notes/sum.md'] });
  const allowed = await ground({ workers: workers({ build: notesBuilder('docs/notes') }) });
  expect((await allowed.run(contract)).view.failure?.code).toBe('check-failed');
  const other = await ground({ workers: workers({ build: notesBuilder('docs/other') }) });
  expect((await other.run(contract)).view.failure?.message).toBe(
    'The phase build-1 wrote where it may not: "docs/other" was added.',
  );
});

test('catches a build that puts a link in the place of its tree', async () => {
  const build = worker('build', async ({ directory }) => {
    renameSync(directory, `${directory}-moved`);
    symlinkSync(`${directory}-moved`, directory);
    return 'moved';
  });
  const { run } = await ground({ workers: workers({ build }) });
  expect((await run()).view.failure?.code).toBe('develop/tree-refused');
});

test('refuses places that are not there or lie in each other', async () => {
  const { develop, candidate, checks, root } = await ground();
  const places = [
    { candidate: join(root, 'nowhere') },
    { candidate, checks: join(candidate, 'test') },
    { candidate: checks, checks },
    { candidate: root },
    { candidate: 'relative' },
  ];
  symlinkSync(join(candidate, 'test'), join(root, 'link'));
  for (const place of [...places, { candidate, checks: join(root, 'link') }]) {
    const admitting = develop.admit(developContract(), place);
    await expect(admitting).rejects.toMatchObject({ code: 'develop/place-invalid' });
  }
});

test('catches a phase that changes the protected checks', async () => {
  const parts = await ground();
  const build = worker('build', async (context) => {
    makeTree(parts.checks, { 'negative.sh': { content: '' } });
    return write(context, 'src/sum.sh', MENDED);
  });
  const develop = openDevelop({
    kernel: parts.kernel,
    scope,
    directory: join(parts.root, 'work'),
    workers: workers({ build }),
    runCheck: runPlain,
  });
  const { candidate, checks } = parts;
  await develop.admit(developContract(), { candidate, checks });
  const view = await develop.run('mend-sum').done;
  expect(view.failure?.message).toBe(
    'The phase build-1 wrote where it may not: "negative.sh" of the protected checks was changed.',
  );
});

test('catches a change between two phases', async () => {
  const stop: (() => void)[] = [];
  const { candidate, checks, develop, root } = await ground({}, (name) => {
    if (name === 'after:record-result') stop.pop()?.();
  });
  await develop.admit(developContract(), { candidate, checks });
  const first = develop.run('mend-sum');
  stop.push(() => first.stop());
  await first.done;
  makeTree(join(root, 'work/mend-sum/candidate'), { 'src/extra.js': { content: '' } });
  const view = await develop.run('mend-sum').done;
  expect(view.failure).toMatchObject({
    code: 'integrity-violation',
    message: 'Between the phases, before plan-1: "src/extra.js" was added.',
  });
});

test('begins another round with what the first fell short of, and none that is not declared', async () => {
  const seen: unknown[] = [];
  const build = worker('build', async (context) => {
    seen.push(context.shortfall);
    const content = context.round === 1 ? 'echo 4\n' : MENDED;
    return write(context, 'src/sum.sh', content);
  });
  const { run } = await ground({ workers: workers({ build }) });
  const { view, handoff } = await run(developContract({ rounds: 3 }));
  expect(view.state).toBe('completed');
  // The visible test passes in the first round, and all that is told of the hidden one is that there is one.
  expect(seen).toEqual([null, { failed: [], hidden_failed: 1 }]);
  expect(handoff.verdicts.map(({ round, verify, health }) => [round, verify, health])).toEqual([
    [1, 'fail', null],
    [2, 'pass', 'pass'],
  ]);
  expect(
    view.tasks.filter(({ state }) => state === 'skipped').map(({ task_id }) => task_id),
  ).toEqual(['health-1', 'plan-3', 'research-3', 'build-3', 'debug-3', 'verify-3', 'health-3']);
});

test('fails when no round passes, and still hands over what there is', async () => {
  const build = worker('build', async (context) => write(context, 'src/sum.sh', 'echo 0\n'));
  const { run } = await ground({ workers: workers({ build }) });
  const { view, handoff, patch } = await run();
  expect(view).toMatchObject({ state: 'failed', failure: { code: 'check-failed' } });
  expect(handoff.gaps).toEqual([
    expect.stringMatching(/^The development is failed, so nothing here has passed/),
    'The criterion test failed.',
    'The hidden criterion zebra-sums failed.',
    expect.stringMatching(/boundary/),
  ]);
  expect(patch.toString()).toContain('+echo 0');
});

test('tells a worker, the trail and the goal nothing of hidden criteria', async () => {
  const told: string[] = [];
  const tell = (phase: 'plan' | 'research' | 'debug') =>
    worker(phase, async (context) => {
      told.push(
        JSON.stringify(context, (_key, value) => (typeof value === 'function' ? null : value)),
      );
      return phase;
    });
  const build = worker('build', async (context) => {
    told.push(JSON.stringify(context));
    return write(context, 'src/sum.sh', 'echo 4\n');
  });
  const parts = await ground({
    workers: workers({
      plan: tell('plan'),
      research: tell('research'),
      build,
      debug: tell('debug'),
    }),
  });
  const { view } = await parts.run(developContract({ rounds: 2 }));
  expect(told.length).toBe(8);
  const trail = JSON.stringify(await records(parts.kernel, 'mend-sum'));
  for (const word of HIDDEN_WORDS) {
    expect(told.join('\n')).not.toContain(word);
    expect(trail).not.toContain(word);
    expect(JSON.stringify(view)).not.toContain(word);
  }
});

test('withholds the output of a criterion that tells of a hidden one', async () => {
  const seen: unknown[] = [];
  const plan = worker('plan', async ({ shortfall }) => {
    seen.push(shortfall);
    return 'planned';
  });
  const { run } = await ground({ workers: workers({ plan }) });
  const [, hidden] = developContract().criteria;
  if (hidden === undefined) throw new Error('the sample has two');
  const list = "console.log(require('fs').readdirSync(process.argv[1]).join()); process.exit(3)";
  const leaky = {
    name: 'leaky',
    text: 'It lists.',
    command: [process.execPath, '-e', list, '{checks}'],
  };
  await run(developContract({ rounds: 2, criteria: [leaky, hidden] }));
  expect(seen).toEqual([
    null,
    {
      failed: [{ name: 'leaky', exit_code: 3, timed_out: false, output: null }],
      hidden_failed: 0,
    },
  ]);
});

test('gives no verdict where a command cannot be started, and asks a person', async () => {
  const { run, develop, kernel, root } = await ground();
  const [, hidden] = developContract().criteria;
  if (hidden === undefined) throw new Error('the sample has two');
  const missing = { name: 'lint', text: 'It is neat.', command: [join(root, 'linter')] };
  const { view } = await run(developContract({ criteria: [missing, hidden] }));
  expect(view.state).toBe('held');
  expect(view.holds[0]).toMatchObject({ reason: 'check-unknown', task_id: 'verify-1' });
  const decision = { decision: 'retry', reason: 'It is installed.' } as const;
  await kernel.decide(scope, 'mend-sum', { holdId: 'hold-1', version: 1, ...decision });
  makeTree(root, { linter: { content: '#!/bin/sh\n', executable: true } });
  expect((await develop.run('mend-sum').done).state).toBe('completed');
});

test('fails what a criterion changes in the candidate itself, and names it', async () => {
  const { run, root } = await ground();
  const live = join(root, 'work/mend-sum/candidate/src/left.txt');
  const reaching = {
    name: 'reach',
    text: 'It is neat.',
    command: ['sh', '-c', `echo x > ${live}`],
  };
  const { view, handoff } = await run(developContract({ criteria: [reaching] }));
  expect(view.failure?.code).toBe('check-failed');
  expect(handoff.violations).toEqual([
    { tree: 'candidate', path: 'src/left.txt', change: 'added' },
  ]);
});

test('takes back what was verified when the candidate changes before health looks', async () => {
  let recorded = 0;
  const places: string[] = [];
  const { run, root } = await ground({}, (name) => {
    if (name === 'after:record-result') recorded += 1;
    const [place] = places;
    // The sixth result is that of verify.
    if (recorded === 6 && place !== undefined) makeTree(place, { 'src/late.sh': { content: '' } });
  });
  places.push(join(root, 'work/mend-sum/candidate'));
  const { view, handoff } = await run();
  expect([view.state, handoff.verdicts[0]?.verify, handoff.verdicts[0]?.health]).toEqual([
    'failed',
    'pass',
    'fail',
  ]);
  expect(handoff.violations).toEqual([{ tree: 'candidate', path: 'src/late.sh', change: 'added' }]);
});

test('counts a criterion whose time is over as failed', async () => {
  const { run } = await ground();
  const slow = {
    name: 'slow',
    text: 'It ends.',
    command: [process.execPath, '-e', 'setInterval(() => 0, 1000)'],
    timeout_ms: 1000,
  };
  const { handoff } = await run(developContract({ criteria: [slow] }));
  expect(handoff.verdicts[0]?.criteria[0]).toMatchObject({ passed: false, timed_out: true });
});

test('gives a development again that was admitted, and refuses its name to another contract', async () => {
  const { develop, candidate, checks } = await ground();
  const trees = { candidate, checks };
  const first = await develop.admit(developContract(), trees, { host: { model: 'm' } });
  makeTree(candidate, { 'src/new.js': { content: '' } });
  const again = await develop.admit(developContract(), trees);
  expect([again.goal_uid, again.inputs['host']]).toEqual([first.goal_uid, { model: 'm' }]);
  const others: readonly Partial<DevelopContract>[] = [
    { rounds: 2 },
    { criteria: developContract().criteria.slice(0, 1) },
  ];
  for (const other of others) {
    const admitting = develop.admit(developContract(other), trees);
    await expect(admitting).rejects.toMatchObject({ code: 'kernel/goal-conflict' });
  }
});

test('fails a development whose tree changed before it was captured', async () => {
  const { develop, candidate, checks } = await ground();
  await develop.admit(developContract(), { candidate, checks });
  makeTree(candidate, { 'src/new.js': { content: '' } });
  const view = await develop.run('mend-sum').done;
  expect(view.failure?.code).toBe('integrity-violation');
});

test('says that the tree changed since, and that the patch may not apply', async () => {
  const { develop, candidate, run } = await ground();
  await run();
  makeTree(candidate, { 'src/sum.sh': { content: 'other' } });
  const { document } = await develop.handoff('mend-sum');
  expect(document.gaps).toContainEqual(expect.stringMatching(/has changed since/));
});

test('keeps the trail of a development that anyone can verify', async () => {
  const { kernel, run } = await ground();
  await run();
  expect(await kernel.verifyTrail(scope, 'mend-sum')).toMatchObject({ ok: true });
});
