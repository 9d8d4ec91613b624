import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHostSandbox, type TrailRecord } from 'millforge';
import type { CommandTier } from 'millforge/sandbox';
import { expect, onTestFinished, test } from 'vitest';
import { develop } from './develop-example.ts';
import { developContract, FAULTY, HIDDEN_WORDS, MENDED, MODEL } from './develop-sample.ts';
import { calling, developWorld, git, MENDING, submitting } from './develop-world.ts';

test('a model develops a real repository, and git applies what is handed over', async () => {
  const { open, candidate, checks } = await developWorld();
  const phases: string[] = [];
  const run = await open().develop({
    contract: developContract(),
    candidate,
    checks,
    model: MODEL,
    onEvent: (event, { phase, round }) => {
      if (event.kind === 'run-ended') phases.push(`${phase}-${round}`);
    },
  });
  const result = await run.result;
  expect([result.status, result.message]).toEqual(['success', null]);
  expect(phases).toEqual(['plan-1', 'research-1', 'build-1', 'debug-1']);
  expect(readFileSync(join(candidate, 'src/sum.js'), 'utf8')).toBe(FAULTY);
  expect(git(candidate, 'status', '--porcelain')).toBe('');
  git(candidate, 'apply', result.patch ?? '');
  expect(readFileSync(join(candidate, 'src/sum.js'), 'utf8')).toBe(MENDED);
  expect(JSON.parse(readFileSync(join(result.folder, 'handoff.json'), 'utf8'))).toEqual(
    result.handoff,
  );
});

test.each(['in the boundary of this host', 'without a boundary'])(
  'no request, no record and no environment of a tool tells of hidden criteria, %s',
  async (where) => {
    const sandbox = createHostSandbox({
      commandTier: { kind: 'process', acceptsNoBoundary: true },
    });
    onTestFinished(() => sandbox[Symbol.asyncDispose]());
    const host = where === 'without a boundary' ? { sandbox } : {};
    const { open, candidate, checks, requests, folder } = await developWorld(
      {
        plan: [calling('list_workspace_files', {}), submitting('planned')],
        build: [
          calling('search_workspace_text', { query: 'zebra'.slice(0, 3) }),
          calling('write_workspace_file', {
            path: 'src/sum.js',
            content: 'export const sum = () => 4;\n',
          }),
          calling('bash', { command: 'env; pwd; ls -a . ..; cat /proc/self/environ' }),
          submitting('built'),
        ],
        debug: [
          calling('bash', { command: 'env | sort; ls -aR . | head -100' }),
          submitting('looked'),
        ],
      },
      host,
    );
    const millforge = open();
    const run = await millforge.develop({
      contract: developContract({ rounds: 2 }),
      candidate,
      checks,
      model: MODEL,
      shell: true,
    });
    const result = await run.result;
    // The visible test passes and the hidden one does not, in both rounds.
    expect([result.status, result.handoff.verdicts.map(({ verify }) => verify)]).toEqual([
      'rejected',
      ['fail', 'fail'],
    ]);
    const told = requests().map(({ text }) => text);
    const build = told.filter((text) => text.includes('Phase: build, round 2'));
    expect(build.some((text) => text.includes('1 that you are not told'))).toBe(true);
    expect(told.join('\n')).toContain('PATH=');
    const records: TrailRecord[] = [];
    for await (const record of millforge.readTrail('mend-sum')) records.push(record);
    for (const word of [...HIDDEN_WORDS, checks, join(folder, 'data/')]) {
      expect([word, told.some((text) => text.includes(word))]).toEqual([word, false]);
    }
    for (const word of HIDDEN_WORDS) expect(JSON.stringify(records)).not.toContain(word);
  },
);

test('the program of the guide hands over what it says', async () => {
  const { candidate, checks, options } = await developWorld();
  const told = await develop({ candidate, checks }, MODEL, options);
  const patch = /then: git apply (.+)\n/.exec(told)?.[1] ?? '';
  git(candidate, 'apply', patch);
  expect(readFileSync(join(candidate, 'src/sum.js'), 'utf8')).toBe(MENDED);
});

test('a build that writes where it may not is caught and named', async () => {
  const { open, candidate, checks } = await developWorld({
    build: [
      calling('write_workspace_file', { path: 'test/sum.test.js', content: '' }),
      submitting('The test passes now.'),
    ],
  });
  const run = await open().develop({
    contract: developContract(),
    candidate,
    checks,
    model: MODEL,
  });
  const result = await run.result;
  expect(result).toMatchObject({
    status: 'rejected',
    message: 'The phase build-1 wrote where it may not: "test/sum.test.js" was changed.',
    patch: null,
  });
});

const LITTERING = {
  ...MENDING,
  debug: [calling('bash', { command: 'echo x > src/left.txt' }), submitting('looked')],
};

/** Develops with a shell, in a sandbox of one's own. */
async function developWithShell(commandTier: CommandTier) {
  const sandbox = createHostSandbox({ commandTier });
  onTestFinished(() => sandbox[Symbol.asyncDispose]());
  const { open, candidate, checks } = await developWorld(LITTERING, { sandbox });
  const request = { contract: developContract(), candidate, checks, model: MODEL, shell: true };
  return (await open().develop(request)).result;
}

test('a command that leaves changes in a phase that only reads is caught and named', async () => {
  const result = await developWithShell({ kind: 'process', acceptsNoBoundary: true });
  expect(result.message).toBe(
    'The phase debug-1, which may only read, left changes: "src/left.txt" was added.',
  );
  expect(result.handoff.gaps).toContainEqual(
    expect.stringMatching(/^Shell commands of the model ran without a boundary/),
  );
});

test('a sandbox keeps a phase that only reads from leaving changes', async ({ skip }) => {
  const probe = createHostSandbox();
  const report = (await probe.report()).at(-1);
  await probe[Symbol.asyncDispose]();
  if (report?.isAvailable !== true) {
    expect((process.env['MILLFORGE_REQUIRE'] ?? '').split(',')).not.toContain('sandbox');
    skip(report?.detail);
  }
  const result = await developWithShell({ kind: 'bubblewrap' });
  expect([result.status, result.message, result.handoff.gaps]).toEqual(['success', null, []]);
  const [verdict] = result.handoff.verdicts;
  expect(verdict?.criteria.map(({ boundary }) => boundary)).toEqual(['bubblewrap', 'bubblewrap']);
});

test('a model that cannot go on in a phase ends the development with its reason', async () => {
  const { open, candidate, checks } = await developWorld({
    plan: [
      calling('escalate_terminal_intent', {
        terminal_result: 'PHASE_BLOCKED',
        summary: 'Nothing to do.',
        blocker: 'The objective is unclear.',
      }),
    ],
  });
  const run = await open().develop({
    contract: developContract(),
    candidate,
    checks,
    model: MODEL,
  });
  const result = await run.result;
  expect([result.status, result.message]).toEqual([
    'blocked',
    expect.stringContaining('The model did not finish the phase plan (blocked)'),
  ]);
});

test('a development that uses more than it may ends as exhausted', async () => {
  const used = { input_tokens: 50, output_tokens: 1 };
  const { open, candidate, checks } = await developWorld({
    plan: [
      { ...calling('list_workspace_files', { root: '.' }), usage: used },
      submitting('planned'),
    ],
  });
  const contract = developContract({ observed_limits: { input_tokens: 20 } });
  const run = await open().develop({ contract, candidate, checks, model: MODEL });
  expect((await run.result).status).toBe('budget_exhausted');
});

test('a stopped development goes on by its contract alone', async () => {
  const { open, candidate, checks, requests } = await developWorld();
  const request = { contract: developContract(), candidate, checks, model: MODEL };
  const first = open();
  const run = await first.develop({
    ...request,
    onEvent: (event, { phase }) => {
      if (phase === 'build' && event.kind === 'call-ended') run.stop();
    },
  });
  expect((await run.result).status).toBe('interrupted');
  await first[Symbol.asyncDispose]();
  const before = requests().length;
  const again = await (await open().develop(request)).result;
  expect(again.status).toBe('success');
  // Plan, research and the turns of the build that are recorded are not asked for again.
  expect([before, requests().length]).toEqual([3, 6]);
});

test('a development whose end nobody waits for is interrupted when it is closed, and ends no process', async () => {
  const { open, candidate, checks } = await developWorld();
  const request = { contract: developContract(), candidate, checks, model: MODEL };
  const unheard: unknown[] = [];
  const hear = (reason: unknown): void => void unheard.push(reason);
  process.on('unhandledRejection', hear);
  onTestFinished(() => void process.off('unhandledRejection', hear));
  const first = open();
  const { goalId } = await first.develop(request);
  await first[Symbol.asyncDispose]();
  await new Promise((resolve) => setImmediate(resolve));
  expect(unheard).toEqual([]);
  const again = open();
  expect((await (await again.develop(request)).result).status).toBe('success');
  expect((await again.verifyTrail(goalId)).ok).toBe(true);
});

test('refuses what cannot be developed, with one sentence', async () => {
  const { open, candidate, checks } = await developWorld();
  const millforge = open();
  const request = { contract: developContract(), candidate, checks, model: MODEL };
  const wrong = [
    [{ ...request, contract: developContract({ rounds: 9 }) }, 'millforge/document'],
    [{ ...request, candidate: join(candidate, 'nowhere') }, 'millforge/usage'],
    [{ ...request, checks: join(candidate, 'test') }, 'millforge/usage'],
  ] as const;
  for (const [asked, code] of wrong) {
    await expect(millforge.develop(asked)).rejects.toMatchObject({ code });
  }
});
