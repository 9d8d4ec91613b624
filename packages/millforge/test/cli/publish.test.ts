import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { manualClock, sequentialIds } from '@millforge/contracts/testing';
import { ALL_PERMISSIONS, openKernel } from '@millforge/kernel';
import { expect, onTestFinished, test } from 'vitest';
import { allJson, type CliEnd, lastJson, runCli, testFolder } from './run-cli.ts';

/** A project with one completed run, and a way to give `publish` commands about it. */
async function completedRun() {
  const cwd = testFolder();
  await runCli(['init', 'agent', '--data', 'data'], { cwd });
  const data = join(cwd, 'data');
  const project = join(cwd, 'agent');
  const run = ['run', 'harness.yaml', '--task', 'Greet.', '--data', data, '--json'];
  const runId = String(lastJson(await runCli(run, { cwd: project }))['run_id']);
  const publish = (verb: string, ...more: readonly string[]): Promise<CliEnd> =>
    runCli(['publish', verb, runId, ...more, '--data', data], { cwd });
  return { cwd, data, runId, publish };
}

const ABOUT = ['--policy', 'release', '--revision', 'v1'];

test('a completed run is published: intended, approved by digest, sent once', async () => {
  const { cwd, data, runId, publish } = await completedRun();
  const intended = await publish('intend', '--to', 'local:box', ...ABOUT);
  expect(intended.code).toBe(0);
  expect(intended.stdout).toContain(`publication-1 of ${runId}: intended`);
  const [, digest = ''] = /intent +([0-9a-f]{64})/.exec(intended.stdout) ?? [];
  expect(intended.stdout).toContain(
    `millforge publish approve ${runId} publication-1 --data ${data} --intent ${digest} --reason TEXT`,
  );
  const early = await publish('dispatch');
  expect([early.code, early.stderr]).toEqual([64, expect.stringContaining('is intended')]);
  const bare = await publish('approve', '--reason', 'Yes.');
  expect(bare.stderr).toContain("'millforge publish approve' needs --intent; see ");
  const wrong = await publish('approve', '--intent', 'a'.repeat(64), '--reason', 'Yes.');
  expect([wrong.code, wrong.stderr]).toEqual([64, expect.stringContaining(digest)]);
  const approved = await publish('approve', '--intent', digest, '--reason', 'I read it.', '--json');
  expect(lastJson(approved)).toMatchObject({
    kind: 'publication',
    state: 'approved',
    approval: { reason: 'I read it.' },
    intent: { action: { publisher: 'local', target: join(cwd, 'box') } },
  });
  const sent = await publish('dispatch');
  expect(sent.code).toBe(0);
  expect(sent.stdout).toContain('accepted');
  const [payload = ''] = readdirSync(join(cwd, 'box', 'payloads'));
  expect(JSON.parse(readFileSync(join(cwd, 'box', 'payloads', payload), 'utf8'))).toMatchObject({
    kind: 'run_outcome',
    status: 'success',
  });
  const again = await publish('dispatch');
  expect([again.code, again.stderr]).toEqual([
    64,
    expect.stringContaining('publication-1 is accepted'),
  ]);
  const verified = await runCli(['trail', 'verify', runId, '--data', data], { cwd });
  expect(verified.code).toBe(0);
  const trail = await runCli(['trail', 'show', runId, '--data', data], { cwd });
  expect(trail.stdout).toContain('publication-accepted');
});

test('a folder that sending would make is named before, and one that was moved is not made', async () => {
  const { cwd, publish } = await completedRun();
  mkdirSync(join(cwd, 'out'));
  const intended = await publish('intend', '--to', 'local:out/box', ...ABOUT);
  expect(intended.stdout).toContain(`there is no ${join(cwd, 'out', 'box')} yet; sending makes it`);
  const [, digest = ''] = /intent +([0-9a-f]{64})/.exec(intended.stdout) ?? [];
  await publish('approve', '--intent', digest, '--reason', 'Yes.');
  renameSync(join(cwd, 'out'), join(cwd, 'elsewhere'));
  const sent = await publish('dispatch');
  expect([sent.code, sent.stderr]).toEqual([
    64,
    expect.stringContaining(`but there is no ${join(cwd, 'out')}; nothing was sent.`),
  ]);
  expect(existsSync(join(cwd, 'out'))).toBe(false);
  renameSync(join(cwd, 'elsewhere'), join(cwd, 'out'));
  expect((await publish('dispatch')).stdout).toContain('accepted');
});

test('what is read before an approval holds no line and no mark that a text brings with it', async () => {
  const { publish } = await completedRun();
  const texts = ['--policy', 'release\n  next       rm -rf', '--revision', 'v\u200b1'];
  const { stdout } = await publish('intend', '--to', 'https://exam\u00adple.org/', ...texts);
  expect(stdout).toContain('to         http https://exam\uFFFDple.org/\n');
  expect(stdout).toContain('release\uFFFD  next       rm -rf, revision v\uFFFD1\n');
  expect(stdout.split('\n').filter((line) => line.startsWith('  next'))).toHaveLength(1);
});

test('an approval is taken back, and what was revoked is intended anew', async () => {
  const { publish } = await completedRun();
  const { intent_sha256: digest } = lastJson(
    await publish('intend', '--to', 'local:box', ...ABOUT, '--json'),
  );
  await publish('approve', '--intent', String(digest), '--reason', 'Yes.');
  const revoked = await publish('revoke', '--reason', 'Found a fault.');
  expect([revoked.code, revoked.stdout]).toEqual([0, expect.stringContaining('Found a fault.')]);
  expect((await publish('dispatch', 'publication-1')).code).toBe(64);
  const second = lastJson(await publish('intend', '--to', 'local:box', ...ABOUT, '--json'));
  expect(second).toMatchObject({ publication_id: 'publication-2', state: 'intended' });
  const all = allJson(await publish('list', '--json'));
  expect(all.map(({ state }) => state)).toEqual(['revoked', 'intended']);
});

test('a send that nobody answers ends with 7, and a person attests it by what is printed', async () => {
  const { publish, cwd, data, runId } = await completedRun();
  const url = await listening(hangUp);
  const place = ['--to', url, ...ABOUT];
  const { intent_sha256: digest } = lastJson(await publish('intend', ...place, '--json'));
  await publish('approve', '--intent', String(digest), '--reason', 'Yes.', '--valid-for', '30m');
  const sent = await publish('dispatch');
  expect([sent.code, sent.stdout]).toEqual([7, expect.stringContaining('unknown')]);
  expect(sent.stdout).toMatch(/because +The publisher failed: fetch failed \(\w+\); nobody knows/);
  // It has no status address, so to ask again would say the same for ever.
  const again = await publish('reconcile');
  expect(again.code).toBe(7);
  for (const { stdout } of [sent, again]) {
    expect(waysIn(stdout)).toEqual([
      ['next', 'look at the receiver, which cannot be asked from here, and say what you saw'],
      ...['accepted', 'rejected'].map((outcome) => [
        outcome === 'accepted' ? 'arrived' : 'absent',
        `millforge publish reconcile ${runId} publication-1 --data ${data} --attest ${outcome} --reason TEXT`,
      ]),
    ]);
  }
  const doctor = await runCli(['doctor', '--data', data], { cwd });
  expect(doctor.stdout).toContain('1 sent and without a known end');
  const attested = await publish('reconcile', '--attest', 'rejected', '--reason', 'It is down.');
  expect([attested.code, attested.stdout]).toEqual([3, expect.stringContaining('It is down.')]);
});

test('a send to a port at which nobody listens has not been sent, and is intended anew', async () => {
  const { publish } = await completedRun();
  const place = ['--to', await listening(null), ...ABOUT];
  const { intent_sha256: digest } = lastJson(await publish('intend', ...place, '--json'));
  await publish('approve', '--intent', String(digest), '--reason', 'Yes.');
  const sent = await publish('dispatch');
  expect([sent.code, sent.stdout]).toEqual([3, expect.stringContaining('(ECONNREFUSED)')]);
  expect(sent.stdout).toMatch(/^ {2}because +Nothing was sent: the connection was refused/m);
  expect(sent.stdout).not.toContain('receiver refuses');
  expect(waysIn(sent.stdout)[0]?.[1]).toContain('intend it anew');
  const second = lastJson(await publish('intend', ...place, '--json'));
  expect(second).toMatchObject({ publication_id: 'publication-2', state: 'intended' });
});

test('a sending that can be asked about is asked first, with the variable that was named', async () => {
  const { publish } = await completedRun();
  const url = await listening(hangUp);
  const place = ['--to', url, '--status-url', `${url}/{operation_id}`, ...ABOUT];
  const { intent_sha256: digest } = lastJson(await publish('intend', ...place, '--json'));
  await publish('approve', '--intent', String(digest), '--reason', 'Yes.');
  const sent = await publish('dispatch', '--token-env', 'HOME');
  expect(sent.code).toBe(7);
  expect(waysIn(sent.stdout).map(([name]) => name)).toEqual(['next', 'arrived', 'absent']);
  expect(waysIn(sent.stdout)[0]?.[1]).toMatch(/ reconcile .* --token-env HOME$/);
});

test('a commit is pushed from a goal of a host program', async () => {
  const cwd = testFolder();
  const data = join(cwd, 'data');
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-C', join(cwd, 'work'), ...args], {
      env: { ...process.env, ...IDENTITY },
      encoding: 'utf8',
    }).trim();
  mkdirSync(join(cwd, 'work'));
  git('init', '-q', '-b', 'main');
  git('init', '-q', '--bare', join(cwd, 'remote.git'));
  writeFileSync(join(cwd, 'work', 'a'), 'a');
  git('add', 'a');
  git('commit', '-q', '-m', 'a');
  const commit = git('rev-parse', 'HEAD');
  await goalWith(data, {
    kind: 'git_update',
    schema_version: '1.0',
    ref: 'refs/heads/main',
    old: null,
    new: commit,
  });
  const publish = (verb: string, ...more: readonly string[]): Promise<CliEnd> =>
    runCli(['publish', verb, 'goal-1', ...more, '--data', data, '--json'], {
      cwd,
      env: { PATH: process.env['PATH'] },
    });
  const elsewhere = await publish('intend', '--to', 'git:./remote.git#refs/heads/next', ...ABOUT);
  expect([elsewhere.code, elsewhere.stdout, elsewhere.stderr]).toEqual([
    64,
    '',
    expect.stringContaining('the payload is about refs/heads/main; it takes {'),
  ]);
  const to = ['--to', 'git:./remote.git#refs/heads/main', ...ABOUT];
  const { intent_sha256: digest, intent } = lastJson(await publish('intend', ...to));
  expect(intent).toMatchObject({
    action: { publisher: 'git', target: `${join(cwd, 'remote.git')}#refs/heads/main` },
  });
  const approval = await runCli(
    ['publish', 'approve', 'goal-1', '--intent', String(digest), '--reason', 'Yes.'].concat([
      '--data',
      data,
    ]),
    { cwd },
  );
  expect(waysIn(approval.stdout)[0]?.[1]).toMatch(/ dispatch goal-1 .* --repository \.$/);
  // Nothing of this is the receiver's, and nothing of it uses the approval up.
  for (const [where, says] of [
    ['/nope', 'cannot change to'],
    ['.', 'not a git repository'],
    ['remote.git', `the commit ${commit} is not in the repository`],
  ] as const) {
    const failed = await publish('dispatch', '--repository', where);
    expect([where, failed.code, failed.stderr]).toEqual([where, 64, expect.stringContaining(says)]);
    expect(failed.stderr).toMatch(
      /^[^\n]+Nothing was sent, and the approval stands\. .*--repository DIR\.\n$/,
    );
    expect(failed.stderr).not.toContain('receiver');
  }
  const sent = await publish('dispatch', '--repository', 'work');
  expect([sent.code, lastJson(sent)['state']]).toEqual([0, 'accepted']);
  expect(git('-C', join(cwd, 'remote.git'), 'rev-parse', 'refs/heads/main')).toBe(commit);
});

const wrong: readonly (readonly [string, readonly string[], string])[] = [
  ['no place', ABOUT, '--to'],
  ['a place that is none', ['--to', 'ftp://x', ...ABOUT], 'local:DIR'],
  ['a place in no folder', ['--to', 'local:/nowhere/box', ...ABOUT], 'there is no /nowhere'],
  ['a digest that is none', ['--to', 'local:box', '--payload', 'abc', ...ABOUT], '--payload takes'],
  [
    'a payload that is not there',
    ['--to', 'local:box', '--payload', '@none', ...ABOUT],
    'There is no payload at ',
  ],
  [
    'a payload that is a folder',
    ['--to', 'local:box', '--payload', '@agent', ...ABOUT],
    'not a file',
  ],
  [
    'an output that no repository takes',
    ['--to', 'git:x#refs/heads/a', ...ABOUT],
    'the payload is no git_update 1.0; it takes {"kind":"git_update","schema_version":"1.0","ref":"refs/heads/a","old":…,"new":…}',
  ],
  ['an address that nothing is posted to', ['--to', 'http://example.org/x', ...ABOUT], 'https'],
  ['a file for a folder', ['--to', 'local:agent/harness.yaml', ...ABOUT], 'is no directory'],
  ['a short ref', ['--to', 'git:x#main', ...ABOUT], 'refs/heads/main'],
  ['no policy', ['--to', 'local:box', '--revision', 'v1'], '--policy'],
  [
    'a status address for git',
    ['--to', 'git:x#refs/heads/a', '--status-url', 'y', ...ABOUT],
    '--status-url',
  ],
  [
    'a payload that the run did not give',
    ['--to', 'local:box', '--payload', 'a'.repeat(64), ...ABOUT],
    'what it gave is ',
  ],
  ['a password in the place', ['--to', 'https://ann:hunter2345@example.org/', ...ABOUT], 'secret'],
];

test('a wrong intent is refused with one sentence, and nothing is kept: 64', async () => {
  const { publish, cwd } = await completedRun();
  for (const [what, argv, says] of wrong) {
    const end = await publish('intend', ...argv);
    expect([what, end.code, end.stderr]).toEqual([what, 64, expect.stringContaining(says)]);
    expect(end.stderr.trimEnd().split('\n')).toHaveLength(1);
  }
  const gone = await publish('reconcile', 'publication-9');
  expect([gone.code, gone.stderr]).toEqual([
    64,
    expect.stringContaining('has no publication publication-9 here'),
  ]);
  expect((await publish('list')).stdout).toBe('Nothing is to be published here.\n');
  expect(existsSync(join(cwd, 'box'))).toBe(false);
});

/** What can be done next, as it is printed: the name of the line, and its text. */
function waysIn(stdout: string): readonly (readonly string[])[] {
  const lines = stdout.split('\n');
  const first = lines.findIndex((line) => line.startsWith('  next '));
  return lines
    .slice(first)
    .filter((line) => line !== '')
    .map((line) => line.trim().split(/ {2,}/));
}

/** Ends the connection when something was sent over it. */
const hangUp = (socket: Socket): void => void socket.once('data', () => socket.destroy());

/** The URL of a port that answers each connection so; null for one at which nobody listens any more. */
async function listening(answer: ((socket: Socket) => void) | null): Promise<string> {
  const server = createServer((socket) => answer?.(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo;
  const close = () => new Promise((resolve) => server.close(resolve));
  if (answer === null) await close();
  else onTestFinished(() => void close());
  return `http://127.0.0.1:${port}/x`;
}

/** A goal as a program of its own would complete it. */
async function goalWith(data: string, output: { readonly [name: string]: string | null }) {
  const binding = { kind: 'model', name: 'maker', version: '1', parameters: null } as const;
  await using kernel = await openKernel({
    path: join(data, 'trail.db'),
    clock: manualClock(),
    ids: sequentialIds(),
  });
  const scope = {
    tenant: 'local',
    resource: 'test',
    actor: 'ann@host',
    permissions: ALL_PERMISSIONS,
  };
  await kernel.admitGoal(scope, {
    kind: 'goal_contract',
    schema_version: '1.0',
    goal_id: 'goal-1',
    objective: 'Make a commit.',
    unchecked: true,
    tasks: [{ task_id: 'make', adapter: binding, effect: 'none' }],
  });
  const adapters = [{ ...binding, run: async () => output }];
  await kernel.runGoal(scope, 'goal-1', { adapters }).done;
}

const IDENTITY = {
  GIT_AUTHOR_NAME: 'Ann',
  GIT_AUTHOR_EMAIL: 'ann@example.org',
  GIT_COMMITTER_NAME: 'Ann',
  GIT_COMMITTER_EMAIL: 'ann@example.org',
};
