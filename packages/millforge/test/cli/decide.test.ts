import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startScriptedServer } from '@millforge/models/testing';
import { expect, test } from 'vitest';
import { heldRun, REPLIES } from './held-run.ts';
import { lastJson } from './run-cli.ts';

test('a run whose call may have happened ends with 7 and says how to decide', async () => {
  const { end, runId, holdId } = await heldRun();
  expect(end.code).toBe(7);
  expect(end.stdout).toContain('held: a person must decide');
  expect(end.stdout).toContain('send_letter');
  expect(decisionsIn(end.stdout)).toEqual(
    ['retry', 'accept', 'cancel'].map(
      (decision) =>
        `millforge resume ${runId} --data 'my data' --hold ${holdId} --decide ${decision}`,
    ),
  );
});

test('to wait stands first where processes of the call live, and to make it again stands last', async () => {
  const { end, command, runId } = await heldRun({ evidence: { processes_alive: true } });
  for (const { stdout } of [end, await command('runs', runId)]) {
    const first = stdout.indexOf('    first      wait until its processes have ended');
    expect(first).toBeGreaterThan(stdout.indexOf('"processes_alive":true'));
    expect(first).toBeLessThan(stdout.indexOf('    decide '));
    expect(decisionsIn(stdout).map((line) => line.split(' ').at(-1))).toEqual([
      'accept',
      'cancel',
      'retry',
    ]);
  }
  const gone = await heldRun({ evidence: { processes_alive: false } });
  expect(decisionsIn(gone.end.stdout)[0]).toMatch(/--decide retry$/);
  expect(gone.end.stdout).not.toContain('wait until');
});

test('resume without a decision shows the hold again', async () => {
  const { command, runId, holdId } = await heldRun();
  const again = await command('resume', runId);
  expect(again.code).toBe(7);
  expect(again.stdout).toContain(holdId);
});

test('an accepted call is not made again, and the run goes on to its end', async () => {
  const { command, runId } = await heldRun();
  const end = await command('resume', runId, '--decide', 'accept', '--reason', 'I saw it.');
  expect(end.code).toBe(0);
  expect(end.stdout).toContain('success: COMPLETE');
  const trail = await command('trail', 'show', runId);
  expect(trail.stdout).toContain('operation-attested');
});

test('a template from runs --json is taken as the outcome, and a wrong one is refused: 65', async () => {
  const { command, runId, cwd } = await heldRun();
  const shown = lastJson(await command('runs', runId, '--json'));
  const [hold] = shown['holds'] as readonly { outcome_template: { outcome: object } }[];
  const template = hold?.outcome_template;
  const accept = async (outcome: unknown) => {
    writeFileSync(join(cwd, 'outcome.json'), JSON.stringify(outcome));
    return command('resume', runId, '--decide', 'accept', '--outcome', 'outcome.json');
  };
  for (const [wrong, where] of [
    [{}, '/outcome'],
    [{ ...template, more: 1 }, '/more'],
    [{ ...template, outcome: { ...template?.outcome, status: 'fine' } }, '/outcome/status'],
    [{ ...template, outcome: { ...template?.outcome, error_code: 'io_error' } }, 'error_code'],
  ] as const) {
    const end = await accept(wrong);
    expect([end.code, end.stderr]).toEqual([65, expect.stringContaining(where)]);
  }
  const end = await accept({ ...template, outcome: { ...template?.outcome, text: 'Sent.' } });
  expect(end.code).toBe(0);
});

test('a run that lacks its key is not decided before it could go on: 64', async () => {
  await using server = await startScriptedServer({ replies: REPLIES });
  const model = ['--model', `${server.url}#m`, '--api-key-env', 'TEST_KEY'];
  const held = await heldRun({ model, env: { TEST_KEY: 'k-0123456789abcdefghij' } });
  expect(held.end.code).toBe(7);
  const without = await held.commandIn({}, 'resume', held.runId, '--decide', 'accept');
  expect([without.code, without.stderr]).toEqual([
    64,
    expect.stringContaining('TEST_KEY is empty'),
  ]);
  expect((await held.command('resume', held.runId)).code).toBe(7);
  // To end it needs no model.
  const other = await heldRun({ model, env: { TEST_KEY: 'k-0123456789abcdefghij' } });
  expect((await other.commandIn({}, 'resume', other.runId, '--decide', 'cancel')).code).toBe(5);
  expect((await held.command('resume', held.runId, '--decide', 'accept')).code).toBe(0);
});

test('a cancelled run ends with 5, and resume of an ended run prints its result again', async () => {
  const { command, runId } = await heldRun();
  const cancelled = await command('resume', runId, '--decide', 'cancel', '--json');
  expect(cancelled.code).toBe(5);
  const again = await command('resume', runId, '--json');
  expect(again.code).toBe(5);
  expect(lastJson(again)).toEqual(lastJson(cancelled));
});

test('a hold that was decided cannot be decided again: 64', async () => {
  const { command, runId, holdId } = await heldRun();
  expect((await command('resume', runId, '--decide', 'accept')).code).toBe(0);
  for (const hold of [[], ['--hold', holdId]]) {
    const end = await command('resume', runId, '--decide', 'retry', ...hold);
    expect(end.code).toBe(64);
    expect(end.stderr.trimEnd().split('\n')).toHaveLength(1);
  }
  const named = await command('resume', runId, '--decide', 'retry', '--hold', holdId);
  expect(named.stderr).toContain('decided accept');
});

test.each([
  ['accept', 'cancel'],
  ['cancel', 'accept'],
  ['accept', 'accept'],
])(
  'of the decisions %s and %s at once the first wins, and the other is refused: 64',
  async (one, other) => {
    const { command, runId } = await heldRun();
    const ends = await Promise.all(
      [one, other].map((decision) => command('resume', runId, '--decide', decision)),
    );
    const refused = ends.filter(({ code }) => code === 64);
    expect(refused).toHaveLength(1);
    expect(refused[0]?.stdout).toBe('');
    expect(refused[0]?.stderr).toMatch(/^millforge: [^\n]+\.\n$/);
    const decided = (await command('trail', 'show', runId, '--json')).stdout
      .split('\n')
      .filter((line) => line.includes('"decided_by":'));
    expect(decided).toHaveLength(1);
    expect((await command('trail', 'verify')).code).toBe(0);
  },
);

test('a hold that is not there is refused with the names of those that are: 64', async () => {
  const { command, runId, holdId } = await heldRun();
  const end = await command('resume', runId, '--decide', 'retry', '--hold', 'hold_x');
  expect(end.code).toBe(64);
  expect(end.stderr).toContain(holdId);
});

test('review refuses a run before it decides anything: 64', async () => {
  const { command, runId, holdId } = await heldRun();
  const answer = ['--decide', 'cancel', '--reason', 'Enough.'];
  const end = await command('review', '--resume', runId, ...answer);
  expect([end.code, end.stderr]).toEqual([
    64,
    expect.stringContaining(`${runId} is a run; go on with millforge resume ${runId}`),
  ]);
  expect((await command('runs', runId)).stdout).toContain(holdId);
});

test('a repeated call is made again, and is held again when nobody can tell', async () => {
  const { command, runId, holdId } = await heldRun();
  const end = await command('resume', runId, '--decide', 'retry', '--hold', holdId);
  expect(end.code).toBe(7);
  expect(end.stderr).toContain('Decided: retry.');
});

/** The commands that are offered to decide, each as it can be copied from its line. */
function decisionsIn(stdout: string): readonly string[] {
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('    decide     '))
    .map((line) => line.slice(line.indexOf('millforge ')));
}
