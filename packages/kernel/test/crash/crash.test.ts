import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleChild } from '../bundle-child.ts';
import { UNSAFE } from './scripted-goal.ts';

const run = promisify(execFile);

let child = '';
let root = '';
let reports: readonly Report[] = [];

interface Kill {
  readonly moment: string;
  readonly count: number;
  readonly directory: string;
}

interface Report {
  readonly kill: Kill;
  readonly directory: string;
  readonly state: string;
  readonly tasks: readonly string[];
  readonly inFlight: readonly string[];
  readonly held: readonly string[];
  readonly budgets: readonly {
    readonly limit: number;
    readonly reserved: number;
    readonly used: number;
  }[];
  readonly acknowledged: readonly string[];
  readonly outcomes: { readonly [key: string]: unknown };
  readonly actsAfter: readonly string[];
  readonly effects: readonly string[];
  readonly verdict: { readonly ok: boolean };
}

beforeAll(async () => {
  child = await bundleChild(join(import.meta.dirname, 'child.ts'));
  root = mkdtempSync(join(tmpdir(), 'millforge-crash-'));
  const { stdout } = await run(process.execPath, [child, 'moments', join(root, 'whole')]);
  const counts = new Map<string, number>();
  const kills: Kill[] = JSON.parse(stdout).map((moment: string, place: number) => {
    const count = (counts.get(moment) ?? 0) + 1;
    counts.set(moment, count);
    return { moment, count, directory: join(root, String(place)) };
  });
  reports = (
    await Promise.all([0, 1].map((half) => killAll(kills.filter((_, place) => place % 2 === half))))
  ).flat();
}, 300_000);

afterAll(() => {
  rmSync(root, { recursive: true, force: true });
  rmSync(dirname(child), { recursive: true, force: true });
});

/** Kills one process after the other, then lets one fresh process finish what they left. */
async function killAll(kills: readonly Kill[]): Promise<readonly Report[]> {
  for (const { directory, moment, count } of kills) {
    const signal = await new Promise((resolve) => {
      const crashing = spawn(process.execPath, [child, 'crash', directory, moment, String(count)], {
        stdio: 'inherit',
      });
      crashing.on('exit', (_code, by) => resolve(by));
    });
    if (signal !== 'SIGKILL') throw new Error(`${moment} ${count} ended with ${String(signal)}`);
  }
  const { stdout } = await run(
    process.execPath,
    [child, 'finish', ...kills.map(({ directory }) => directory)],
    { maxBuffer: 1 << 28 },
  );
  return stdout
    .trim()
    .split('\n')
    .map((line, place) => ({ ...JSON.parse(line), kill: kills[place] }));
}

/** What does not hold, with the moment at which the process died. */
function faults(check: (report: Report) => unknown): readonly unknown[] {
  return reports
    .map((report) => ({ at: `${report.kill.moment} ${report.kill.count}`, found: check(report) }))
    .filter(({ found }) => found !== null);
}

test('is killed at more than a hundred moments', () => {
  expect(reports.length).toBeGreaterThan(100);
});

test('completes every goal after a kill at any moment, and its trail verifies', () => {
  expect(
    faults(({ state, tasks, verdict }) =>
      state === 'completed' && tasks.join() === 'completed' && verdict.ok
        ? null
        : { state, tasks, verdict },
    ),
  ).toEqual([]);
});

test('loses no acknowledged result', () => {
  expect(
    faults(({ acknowledged, outcomes }) => {
      const lost = acknowledged.filter((line) => {
        const key = line.slice(0, line.indexOf(' '));
        return JSON.stringify(outcomes[key]) !== line.slice(key.length + 1);
      });
      return lost.length === 0 ? null : lost;
    }),
  ).toEqual([]);
});

test('performs nothing again whose result was acknowledged', () => {
  expect(
    faults(({ acknowledged, actsAfter }) => {
      const known = new Set(acknowledged.map((line) => line.slice(0, line.indexOf(' '))));
      const again = actsAfter.filter((key) => known.has(key));
      return again.length === 0 ? null : again;
    }),
  ).toEqual([]);
});

test('has every effect once, but those that were declared harmless', () => {
  expect(
    faults(({ effects }) => {
      const keys = [...new Set(effects.map((line) => line.slice(0, line.indexOf(' '))))];
      const wrong = keys.filter((key) => {
        const lines = effects.filter((line) => line.startsWith(`${key} `));
        if (key === 'tool/6/0') return false;
        // A receiver that honours the key sees one effect.
        return key === 'tool/4/0' ? new Set(lines).size !== 1 : lines.length !== 1;
      });
      return keys.length === 6 && wrong.length === 0 ? null : { keys, wrong };
    }),
  ).toEqual([]);
});

test('asks a person exactly where a call that nobody can look for was in flight', () => {
  expect(
    faults(({ held, inFlight }) => (held.join() === inFlight.join() ? null : { held, inFlight })),
  ).toEqual([]);
  const asked = new Set(reports.flatMap(({ held }) => held));
  expect([...asked].toSorted()).toEqual(UNSAFE);
});

test('never reserves and settles more than the limit', () => {
  expect(
    faults(({ budgets }) =>
      budgets.every(({ limit, reserved, used }) => reserved + used <= limit) &&
      budgets.at(-1)?.used === 1
        ? null
        : budgets,
    ),
  ).toEqual([]);
});
