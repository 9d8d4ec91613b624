import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createMillforge, runTask } from 'millforge';
import { expect, test } from 'vitest';
import {
  GREETER,
  GREETER_GRANTS,
  greeterRequest,
  greetTool,
  SCRIPTED,
  testFolder,
} from './support/greeter.ts';

const WHOLE = [
  'artifact_manifest.json',
  'events.jsonl',
  'run_evidence.json',
  'terminal_result.json',
  'tool_trace.jsonl',
];

async function start(onEvent: (kind: string, runFolder: string) => void) {
  const cwd = testFolder();
  const data = join(cwd, 'data');
  const runFolder = join(data, 'runs', RUN);
  const { tool, greeted } = greetTool();
  const options = { dataDir: data, tools: [tool] };
  await using millforge = createMillforge(options);
  const run = await millforge.run({
    ...greeterRequest(millforge, cwd),
    runId: RUN,
    onEvent: ({ kind }) => onEvent(kind, runFolder),
  });
  const ended = await run.result.then(
    (result) => ({ result, error: null }),
    (error: unknown) => ({ result: null, error }),
  );
  return { ...ended, options, runFolder, greeted };
}

test('an abort before the end is on record interrupts, and what it leaves says so (D-11)', async () => {
  const aborting = new AbortController();
  const { tool, greeted } = greetTool();
  const cwd = testFolder();
  const dataDir = join(cwd, 'data');
  const result = await runTask({
    harness: GREETER,
    task: 'Greet Ada.',
    cwd,
    dataDir,
    model: SCRIPTED,
    grants: GREETER_GRANTS,
    tools: [tool],
    env: {},
    signal: aborting.signal,
    onEvent: ({ kind }) => {
      if (kind === 'run-ended') aborting.abort();
    },
  });
  expect(result).toMatchObject({ status: 'interrupted', terminal_result: null });
  const folder = join(dataDir, 'runs', result.run_id);
  expect(existsSync(join(folder, 'terminal_result.json'))).toBe(false);

  await using millforge = createMillforge({ dataDir, tools: [tool] });
  const resumed = await millforge.resume(result.run_id);
  expect(await resumed.result).toMatchObject({ status: 'success', terminal_result: 'COMPLETE' });
  expect(readdirSync(folder).toSorted()).toEqual(WHOLE);
  expect(greeted).toEqual(['Ada']);
});

test('files that cannot be written contradict no result, and are written later (D-11)', async () => {
  const { error, options, runFolder, greeted } = await start((kind, folder) => {
    if (kind !== 'run-ended') return;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(dirname(folder), { recursive: true });
    writeFileSync(folder, 'A file where a folder should be.');
  });
  expect(error).toMatchObject({
    code: 'millforge/export-failed',
    message: expect.stringMatching(/ended \(success\).*safe in the trail.*resume it/),
  });
  await using millforge = createMillforge(options);
  expect(await millforge.readRun(RUN)).toMatchObject({ status: 'success' });
  rmSync(runFolder);
  const resumed = await millforge.resume(RUN);
  expect(await resumed.result).toMatchObject({ status: 'success', terminal_result: 'COMPLETE' });
  expect(readdirSync(runFolder).toSorted()).toEqual(WHOLE);
  expect(greeted).toEqual(['Ada']);
});

const RUN = 'run_exported';
