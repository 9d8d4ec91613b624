// The main job of Millforge, offline and in front of you: `npm run demo`.
import { statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  digestOf,
  killedMillforge,
  millforge,
  openTake,
  projectTests,
  runArguments,
  testRuns,
} from './take.mjs';

const root = join(process.cwd(), '.demo');
const say = (line) => process.stdout.write(`${line}\n`);

say(
  'Millforge demo. The model is scripted: a real HTTP server on this machine plays written replies.',
);
await firstTake();
await secondTake();

async function firstTake() {
  const take = await openTake(join(root, 'first-take'));
  try {
    say('');
    say('1. A coding agent mends a small project, is killed right behind its edit, and resumes.');
    const testDigest = digestOf(take, 'test/total.test.js');
    const before = await projectTests(take);
    expect(!before.isGreen, 'the tests of the project fail at first');
    say(`   before: ${testsOf(before)}`);

    const killed = await killedMillforge(
      { tool: 'edit', phase: 'after-effect' },
      runArguments(take),
    );
    expect(killed.signal === 'SIGKILL', 'the agent is killed in its edit');
    const edited = statSync(join(take.workspace, 'src/total.js'), { bigint: true });
    const runId = await onlyRun(take);
    say(`   killed with SIGKILL: the file is replaced, the trail does not know it yet (${runId})`);

    const resumed = await millforge(['resume', runId, '--data', take.data, '--json']);
    const result = lastLine(resumed.stdout);
    expect(resumed.code === 0 && result.status === 'success', 'the resumed run ends in success');
    say(`   resumed: ${result.status}, "${result.summary}"`);

    const now = statSync(join(take.workspace, 'src/total.js'), { bigint: true });
    expect(now.ino === edited.ino && now.ctimeNs === edited.ctimeNs, 'the edit happens once');
    expect(testRuns(take) === 1, 'the tests are run once');
    const turns = result.budget.used;
    const requests = await take.requestCount();
    expect(requests <= 7, 'the server sees at most one request more than there are turns');
    say(
      `   each effect happened once; the server saw ${requests} requests (turn units used: ${turns})`,
    );

    const after = await projectTests(take);
    expect(after.isGreen, 'the tests of the project pass afterwards');
    expect(digestOf(take, 'test/total.test.js') === testDigest, 'the test file is unchanged');
    say(`   after: ${testsOf(after)}; the test file is unchanged`);
    await verify(take, runId);
  } finally {
    take.close();
  }
}

async function secondTake() {
  const take = await openTake(join(root, 'second-take'));
  try {
    say('');
    say('2. Killed inside a shell command: nobody can know how it came out, so a person is asked.');
    const killed = await killedMillforge(
      { tool: 'bash', phase: 'after-effect' },
      runArguments(take),
    );
    expect(killed.signal === 'SIGKILL', 'the agent is killed in its command');
    const runId = await onlyRun(take);
    const held = await millforge(['resume', runId, '--data', take.data]);
    expect(held.code === 7, 'the run is held, exit status 7');
    for (const line of held.stdout.trimEnd().split('\n').slice(0, 9)) say(`   | ${line}`);

    for (let tries = 0; testRuns(take) === 0 && tries < 100; tries += 1) await sleep(100);
    const accepted = await millforge([
      'resume',
      runId,
      '--data',
      take.data,
      '--json',
      '--decide',
      'accept',
      '--reason',
      'test-runs.txt shows that the tests ran',
    ]);
    const result = lastLine(accepted.stdout);
    expect(accepted.code === 0 && result.status === 'success', 'the accepted run ends in success');
    expect(testRuns(take) === 1, 'the command is carried out once');
    say(`   accepted by a person, then: ${result.status}; the command was carried out once`);
    await verify(take, runId);
    say('');
    say('Look at:');
    for (const file of [
      'project/src/total.js',
      'data/trail.db',
      `data/runs/${runId}/events.jsonl`,
    ]) {
      say(`   ${relative(process.cwd(), join(take.folder, file))}`);
    }
    say(
      `   node packages/millforge/dist/bin.js trail show ${runId} --data ${relative(process.cwd(), take.data)}`,
    );
  } finally {
    take.close();
  }
}

async function verify(take, runId) {
  const verified = await millforge(['trail', 'verify', runId, '--data', take.data]);
  expect(verified.code === 0, 'the trail verifies');
  say(`   ${verified.stdout.trim()}`);
}

async function onlyRun(take) {
  const listed = await millforge(['runs', '--json', '--data', take.data]);
  return lastLine(listed.stdout).run_id;
}

/** How the tests of the project stand, in words. */
function testsOf({ passed, failed }) {
  const [passes, fails] = [
    passed === 1 ? 'test passes' : 'tests pass',
    failed === 1 ? 'fails' : 'fail',
  ];
  return `${passed} ${passes}, ${failed} ${fails}`;
}

function lastLine(text) {
  return JSON.parse(text.trimEnd().split('\n').at(-1) || 'null');
}

function expect(holds, what) {
  if (holds) return;
  process.stderr.write(`The demo failed: expected that ${what}.\n`);
  process.exit(1);
}
