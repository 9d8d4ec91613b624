// Everything that the kernel promises, tried until it ought to break; a small share of it runs with the tests.
//   npm run proof:kernel [-- --share 0.1 --seed 1 --only kills]
//   npm run proof:kernel -- --only simulation --seed 4711 --share 0        tells the story of one seed
// The whole takes about forty minutes, a share as much less.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleChild } from '../../packages/kernel/test/bundle-child.ts';
import { killAt } from '../../packages/kernel/test/crash/kill-at.ts';
import { copyAtEveryMoment, volatileFolder } from '../../packages/kernel/test/crash/moments.ts';
import { SCENARIOS } from '../../packages/kernel/test/crash/scenarios.ts';
import { stopAt } from '../../packages/kernel/test/crash/stop-at.ts';
import {
  type CutFigures,
  cutDatabase,
  cutLog,
  makeSubject,
} from '../../packages/kernel/test/proof/cut-files.ts';
import { killUnderLoad } from '../../packages/kernel/test/proof/kill-under-load.ts';
import { loseUnsynced } from '../../packages/kernel/test/proof/lost-sync.ts';
import { simulate } from '../../packages/kernel/test/proof/simulate.ts';
import { makeTemplate } from '../../packages/kernel/test/proof/template.ts';
import { randomOf } from '../../packages/kernel/test/proof/virtual-time.ts';
import { copyPublication } from '../../packages/kernel/test/publication/copy-publication.ts';
import { CASES, makeCompleted } from '../../packages/kernel/test/publication/faulty-publication.ts';
import { killPublication } from '../../packages/kernel/test/publication/kill-publication.ts';

const parts: { readonly [name: string]: () => Promise<void> } = {
  kills: proveKills,
  stops: proveStops,
  load: proveLoad,
  publications: provePublications,
  cuts: proveCuts,
  sync: proveSync,
  simulation: proveSimulation,
};

const values = readOptions(Object.keys(parts));
const share = Number(values.share);
const seed = Number(values.seed);

const root = volatileFolder('millforge-proof-');
const tests = join(import.meta.dirname, '../../packages/kernel/test');
const broken: unknown[] = [];
const children: string[] = [];
const bundled = async (name: string): Promise<string> => {
  const child = await bundleChild(join(tests, name));
  children.push(join(child, '..'));
  return child;
};

try {
  for (const [name, prove] of Object.entries(parts)) {
    if (values.only === undefined || values.only === name) await prove();
  }
} finally {
  rmSync(root, { recursive: true, force: true });
  for (const child of children) rmSync(child, { recursive: true, force: true });
}
for (const one of broken) console.log(`broken: ${JSON.stringify(one)}`);
console.log(broken.length === 0 ? 'Everything holds.' : `${broken.length} promises are broken.`);
process.exitCode = broken.length === 0 ? 0 : 1;

function readOptions(names: readonly string[]) {
  try {
    const { values: given } = parseArgs({
      options: {
        share: { type: 'string', default: '1' },
        seed: { type: 'string', default: '1' },
        only: { type: 'string' },
      },
    });
    const isPart = given.only === undefined || names.includes(given.only);
    if (Number(given.share) >= 0 && Number.isSafeInteger(Number(given.seed)) && isPart)
      return given;
    console.error(usage(names));
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${usage(names)}`);
  }
  return process.exit(64);
}

function usage(names: readonly string[]): string {
  return `--share takes a number from 0 (0.1 is a tenth), --seed a whole number, --only one of ${names.join(', ')}.`;
}

/** SIGKILL at every BEGIN, statement and COMMIT, and before and after each effect, of every kind of task. */
async function proveKills(): Promise<void> {
  const child = await bundled('crash/child.ts');
  for (const scenario of Object.values(SCENARIOS)) {
    const folder = join(root, `moments-${scenario.name}`);
    mkdirSync(folder, { recursive: true });
    const left = await copyAtEveryMoment(scenario, folder);
    rmSync(folder, { recursive: true, force: true });
    const moments = left.reduce((sum, one) => sum + one.moments.length, 0);
    const step = Math.max(1, Math.round(1 / share));
    const chosen = Array.from({ length: moments }, (_, place) => place + 1).filter(
      (moment) => moment % step === seed % step,
    );
    const report = progress(`${scenario.name}: kills`, chosen.length);
    const halves = [0, 1].map((half) =>
      killAt(
        chosen.filter((_, place) => place % 2 === half),
        { child, scenario: scenario.name, root: join(root, `kills-${half}`), onKill: report },
      ),
    );
    const found = (await Promise.all(halves)).flat();
    broken.push(...found.filter(({ faults }) => faults.length > 0));
    const died = found.filter(({ moment }) => moment > 0).length;
    const asked = found.reduce((sum, one) => sum + one.asked.length, 0);
    line(`${scenario.name}: moments in one run`, moments);
    line(`${scenario.name}: killed`, died);
    line(`${scenario.name}: questions to a person`, asked);
  }
}

/** SIGSTOP at every failpoint, another process that takes over and goes on, then SIGCONT. */
async function proveStops(): Promise<void> {
  const child = await bundled('crash/stopped-child.ts');
  const step = Math.max(1, Math.round(1 / share));
  for (const scenario of Object.values(SCENARIOS)) {
    const report = progress(`${scenario.name}: stops`);
    let stopped = 0;
    let superseded = 0;
    for (let moment = 1 + (seed % step); ; moment += step) {
      const { at, isTakenOver, faults } = await stopAt(moment, { child, scenario, root });
      if (at === null) break;
      stopped += 1;
      if (isTakenOver) superseded += 1;
      if (faults.length > 0) broken.push({ scenario: scenario.name, moment, at, faults });
      report();
    }
    line(`${scenario.name}: stopped and woken up`, stopped);
    line(`${scenario.name}: superseded meanwhile`, superseded);
  }
}

/** Kills at drawn moments, two to four processes on one file. */
async function proveLoad(): Promise<void> {
  const child = await bundled('proof/load-child.ts');
  const kills = Math.max(1, Math.round(500 * share));
  const figures = await killUnderLoad({
    child,
    root,
    kills,
    seed,
    onKill: progress('kills under load', kills),
  });
  broken.push(...figures.broken);
  line('killed under load', figures.kills);
  line('effects', figures.effects);
  line('decided by a person', figures.decided);
}

/** SIGKILL at every moment of a publication, through every fault, with a revocation or an expiry in between. */
async function provePublications(): Promise<void> {
  const child = await bundled('publication/publish-child.ts');
  const completed = join(root, 'completed');
  await makeCompleted(completed);
  const step = Math.max(1, Math.round(1 / share));
  for (const one of CASES) {
    const folder = join(root, 'publication');
    const left = await copyPublication(one, { completed, root: folder });
    rmSync(folder, { recursive: true, force: true });
    const moments = left.reduce((sum, { moments: here }) => sum + here.length, 0);
    const chosen = Array.from({ length: moments }, (_, place) => place + 1).filter(
      (moment) => moment % step === seed % step,
    );
    const report = progress(`publication, ${one.name}: kills`, chosen.length);
    let died = 0;
    const kill = async (half: number): Promise<void> => {
      for (const moment of chosen.filter((_, place) => place % 2 === half)) {
        const where = { child, completed, root: join(root, `published-${half}`) };
        const { faults, isKilled } = await killPublication(one, moment, where);
        if (isKilled) died += 1;
        if (faults.length > 0) broken.push({ publication: one.name, moment, faults });
        report();
      }
    };
    await Promise.all([kill(0), kill(1)]);
    line(`publication, ${one.name}: killed`, died);
  }
}

/** Cuts of the write-ahead log and of the database at drawn bytes. */
async function proveCuts(): Promise<void> {
  for (const scenario of Object.values(SCENARIOS)) {
    const folder = join(root, `cuts-${scenario.name}`);
    const subject = await makeSubject(scenario, folder);
    const figures: CutFigures = { prefix: 0, refused: 0, broken: [] };
    const random = randomOf(seed);
    const count = Math.round(50_000 * share);
    const report = progress(`${scenario.name}: cuts`, count);
    for (let cut = 0; cut < count; cut += 1) {
      if (cut % 20 === 0) await cutDatabase(subject, { random, root: folder, figures });
      else cutLog(subject, { random, root: folder, figures });
      report();
    }
    broken.push(...figures.broken);
    line(`${scenario.name}: cuts that left an earlier state`, figures.prefix);
    line(`${scenario.name}: cuts that were refused`, figures.refused);
    line(`${scenario.name}: states that a commit made`, subject.states.size);
  }
}

/** A disk that loses what was not synced, at the setting of the kernel and at the one that the driver is built for. */
async function proveSync(): Promise<void> {
  const child = await bundled('proof/lost-sync-child.ts');
  for (const synchronous of ['FULL', 'NORMAL'] as const) {
    const { acknowledged, lost } = await loseUnsynced({ child, root, synchronous });
    line(`${synchronous}: acknowledged, then the power failed`, acknowledged);
    line(`${synchronous}: lost${synchronous === 'FULL' ? '' : ', as it must'}`, lost);
    if (synchronous === 'FULL' && lost > 0) broken.push(`FULL loses ${lost} acknowledged writes`);
    if (synchronous === 'NORMAL' && lost === 0)
      broken.push('NORMAL loses nothing, so nothing is shown');
  }
}

/** Processes in virtual time that fail, stop, die and close. */
async function proveSimulation(): Promise<void> {
  const template = await makeTemplate(root);
  const count = Math.max(1, Math.round(50_000 * share));
  const totals = new Map<string, number>();
  const report = progress('seeds', count);
  for (let one = seed; one < seed + count; one += 1) {
    const found = await simulate(one, root, template);
    for (const [kind, times] of found.counts) totals.set(kind, (totals.get(kind) ?? 0) + times);
    report();
    const isSingle = count === 1;
    if (isSingle) console.log([...found.story, ...found.records, found.digest].join('\n'));
    if (found.broken.length === 0) continue;
    const again = await simulate(one, root, template);
    broken.push({ seed: one, broken: found.broken, isSame: again.digest === found.digest });
    console.error(`seed ${one} is broken: ${found.broken.join('; ')}`);
  }
  line('seeds', count);
  for (const [kind, times] of [...totals].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    line(kind, times);
}

function progress(what: string, count?: number): () => void {
  let done = 0;
  const startedAt = performance.now();
  let told = startedAt;
  return () => {
    done += 1;
    if (performance.now() - told < 10_000) return;
    told = performance.now();
    const all = count === undefined ? '' : ` of ${count}`;
    console.error(`${what}: ${done}${all}, ${Math.round((told - startedAt) / 1000)} s`);
  };
}

function line(what: string, howMany: number): void {
  console.log(`${what.padEnd(48)}${String(howMany).padStart(8)}`);
}
