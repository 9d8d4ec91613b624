import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ALL_PERMISSIONS, openKernel } from '@millforge/kernel';
import { openDevelop } from '@millforge/kernel/develop';
import { developContract, MENDED, runPlain, worker, workers, write } from '../sample.ts';

// node develop-child.mjs crash SCENARIO DIRECTORY COUNT   dies at the COUNT-th moment, or says how many there are
// node develop-child.mjs finish SCENARIO DIRECTORY…       finishes what crashed, one line for each

/** What became of a development that was killed and gone on with. */
export interface Finished {
  /** The task that was at work when it was killed; null between tasks. */
  readonly killedIn: string | null;
  readonly state: string;
  readonly failure: string | null;
  readonly patchSha256: string | null;
  readonly trailHolds: boolean;
  /** Effects of the build, by what they tell. */
  readonly effects: readonly string[];
}

const [mode, scenario = '', ...rest] = process.argv.slice(2);

if (mode === 'crash') {
  const [directory = '', count = '0'] = rest;
  let reached = 0;
  const reach = (): void => {
    reached += 1;
    if (reached === Number(count)) process.kill(process.pid, 'SIGKILL');
  };
  await develop(directory, reach);
  process.stdout.write(`${reached}\n`);
}

if (mode === 'finish') {
  for (const directory of rest) {
    process.stdout.write(`${JSON.stringify(await develop(directory, () => undefined))}\n`);
  }
}

async function develop(directory: string, reach: () => void): Promise<Finished> {
  const counter = join(directory, 'effects');
  const effect = (told: string): void => {
    reach();
    appendFileSync(counter, `${told}\n`);
    reach();
  };
  await using kernel = await openKernel({
    path: join(directory, 'data/trail.db'),
    clock: {
      now: () => Date.now(),
      monotonicMs: () => performance.now(),
      delay: (ms, signal) => delay(ms, undefined, signal === undefined ? {} : { signal }),
    },
    ids: { newId: (prefix) => `${prefix}_${randomBytes(8).toString('hex')}` },
    failpoint: reach,
  });
  const scope = {
    tenant: 'local',
    resource: 'tests',
    actor: 'ann@host',
    permissions: ALL_PERMISSIONS,
  };
  const developing = openDevelop({
    kernel,
    scope,
    directory: join(directory, 'work'),
    workers: workers({ build: builder(effect) }),
    runCheck: runPlain,
  });
  await developing.admit(developContract(), {
    candidate: join(directory, 'repository'),
    checks: join(directory, 'checks'),
  });
  const left = await kernel.readGoal(scope, 'mend-sum');
  const killedIn = left.tasks.find(({ state }) => state === 'interrupted')?.task_id ?? null;
  const goal = await developing.run('mend-sum').done;
  const { document } = await developing.handoff('mend-sum');
  const verdict = await kernel.verifyTrail(scope, 'mend-sum');
  return {
    killedIn,
    state: goal.state,
    failure: goal.failure?.message ?? goal.holds[0]?.message ?? null,
    patchSha256: document.patch?.sha256 ?? null,
    trailHolds: verdict.ok,
    effects: existsSync(counter) ? readFileSync(counter, 'utf8').trim().split('\n') : [],
  };
}

/** With `operations` it goes on where it was; `whole` begins anew, and would add twice to a tree that was not restored. */
function builder(effect: (told: string) => void) {
  if (scenario === 'operations') {
    return worker('build', async (context) => {
      const first = { ...context, onEffect: () => effect('sum') };
      await write(first, 'src/sum.sh', MENDED);
      const second = { ...context, onEffect: () => effect('notes') };
      return write(second, 'src/notes.md', 'mended\n');
    });
  }
  return worker(
    'build',
    async ({ directory }) => {
      const place = join(directory, 'src/sum.sh');
      const text = readFileSync(place, 'utf8').replace('$1 - $2', '$1 + $2');
      writeFileSync(place, `${text}# one more line\n`);
      effect('line');
      appendFileSync(join(directory, 'src/notes.md'), 'mended\n');
      return 'built';
    },
    { doubt: 'attempt' },
  );
}
