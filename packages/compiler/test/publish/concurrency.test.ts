import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  compileHarness,
  planFileName,
  toModelProfileCatalog,
  toToolCatalog,
} from '@millforge/compiler';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readDocsFile } from '../support/code-pages.ts';
import { GRANTS } from '../support/fixtures.ts';
import { findResultFaults } from '../support/result-invariants.ts';

// `MILLFORGE_PROCESSES=200` is the long form, with 16 processes alive at a time.
const PROCESSES = Number(process.env['MILLFORGE_PROCESSES'] ?? 32);
const ALIVE = PROCESSES >= 200 ? 16 : 8;
const HARNESSES = 4;
const REQUESTS = 3;
/** How many harnesses one process compiles. */
const SHARE = 2;

let folder = '';
let child = '';
const plans = new Map<string, string>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millforge-concurrent-'));
  child = join(folder, 'child.mjs');
  await bundler().build({
    entryPoints: [join(import.meta.dirname, 'concurrent-child.ts')],
    outfile: child,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: process.env['MILLFORGE_TEST_DIST'] === undefined ? ['millforge-src'] : [],
    banner: { js: REQUIRE },
    logLevel: 'error',
  });
  await mkdir(join(folder, 'plans'));
  for (let index = 0; index < HARNESSES; index++) {
    const source = readDocsFile('harness.yaml').replace(
      /harness_version: \d+/,
      `harness_version: ${index + 1}`,
    );
    await writeFile(join(folder, `${index}.yaml`), source);
    const result = compileHarness(source, {
      catalog: toToolCatalog(readDocsFile('catalog.json')),
      profiles: toModelProfileCatalog(['docs.profile.small']),
      request: { format: 'yaml', grants: GRANTS },
    });
    if (!result.ok) throw new Error('not compiled');
    plans.set(planFileName(result.plan), new TextDecoder().decode(result.bytes));
  }
  expect(plans.size).toBe(HARNESSES);
});

afterAll(() => rm(folder, { recursive: true }));

test('many processes compile into one directory, and each tells the truth', {
  tags: ['slow'],
  timeout: 300_000,
}, async () => {
  const wrong = new Set<string>();
  const end = new AbortController();
  const watching = (async () => {
    while (!end.signal.aborted) {
      for (const fault of await findPartialPlans()) wrong.add(fault);
      // Looking takes a part of the machine from those who write.
      await setTimeout(20);
    }
  })();
  const { kills, lies } = await runAll();
  end.abort();
  await watching;
  for (const fault of await findPartialPlans()) wrong.add(fault);
  expect([...wrong, ...lies]).toEqual([]);

  const names = await readdir(join(folder, 'plans'));
  const others = names.filter((name) => !plans.has(name));
  expect(names.filter((name) => plans.has(name)).toSorted()).toEqual([...plans.keys()].toSorted());
  const reports = others.filter((name) => name.endsWith('.diagnostics.json'));
  expect(reports).toHaveLength(HARNESSES * REQUESTS);
  for (const name of reports) {
    const report = JSON.parse(await readFile(join(folder, 'plans', name), 'utf8'));
    expect(report).toMatchObject({ status: 'committed', diagnostic_report_state: 'committed' });
  }
  // Only who is killed leaves a temporary file, at most one each.
  const left = others.filter((name) => !reports.includes(name));
  expect(left.filter((name) => !/^\.millforge-[0-9a-f]{16}-\d+\.tmp$/.test(name))).toEqual([]);
  expect(left.length).toBeLessThanOrEqual(kills);
});

/** Plans that are on the disk and not whole. */
async function findPartialPlans(): Promise<string[]> {
  const wrong: string[] = [];
  for (const name of await readdir(join(folder, 'plans'))) {
    if (!name.endsWith('.compiled.json')) continue;
    const text = await readFile(join(folder, 'plans', name), 'utf8');
    if (text !== plans.get(name)) wrong.push(`${name} has ${text.length} characters`);
  }
  return wrong;
}

/** Runs all processes; gives how many were killed, and what others said that is not so. */
async function runAll(): Promise<{ readonly kills: number; readonly lies: readonly string[] }> {
  const lies: string[] = [];
  let next = 0;
  let kills = 0;
  async function worker(): Promise<void> {
    while (next < PROCESSES) {
      const index = next++;
      // Every eighth is killed in the middle of its work; the last ones see to it that all is done.
      const isKilled = index % 8 === 3 && index < PROCESSES - 2 * ALIVE;
      if (isKilled) kills++;
      lies.push(...(await runOne(index, isKilled)));
    }
  }
  await Promise.all(Array.from({ length: ALIVE }, worker));
  return { kills, lies };
}

/** Runs one process and gives what it said that is not so. */
function runOne(index: number, isKilled: boolean): Promise<readonly string[]> {
  const requests = Array.from({ length: SHARE }, (_, offset) => ({
    request_id: `request.${(index % REQUESTS) + 1}`,
    source_path: `${(index + offset) % HARNESSES}.yaml`,
    source_root: folder,
    source_format: 'yaml',
    output_dir: 'plans',
    output_root: folder,
    expected_harness_id: 'docs.review',
    stage_kind_id: 'review',
    legal_terminal_results: ['REVIEW_DONE'],
    capability_envelope: { grants: GRANTS.map((capability_id) => ({ capability_id })) },
  }));
  const argument = JSON.stringify({ catalog: readDocsFile('catalog.json'), requests });
  const running = spawn(process.execPath, [child, argument], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lies: string[] = [];
  let begun = 0;
  let ended = 0;
  createInterface(running.stdout).on('line', (line) => {
    const result = JSON.parse(line);
    if (result.status === undefined) {
      begun++;
      if (isKilled && begun === 1 + (index % SHARE)) running.kill('SIGKILL');
      return;
    }
    ended++;
    if (result.status !== 'committed' || findResultFaults(result).length > 0) lies.push(line);
  });
  return new Promise((done, fail) => {
    running.on('error', fail);
    running.on('close', (code) => {
      const isComplete = isKilled || (code === 0 && ended === SHARE);
      done(isComplete ? lies : [...lies, `process ${index} ended with ${code}`]);
    });
  });
}

interface Bundler {
  build(options: Readonly<Record<string, unknown>>): Promise<unknown>;
}

/** The bundler that Vite brings along. */
function bundler(): Bundler {
  return createRequire(fileURLToPath(import.meta.resolve('vite')))('esbuild');
}

// Bundled CommonJS asks for built-in modules this way.
const REQUIRE = `import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);`;
