import { readdirSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { builtinTools, createMillforge, piTools } from 'millforge';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  compileGreeter,
  GREETER,
  greeterRequest,
  greetTool,
  testFolder,
} from './support/greeter.ts';

test('is made at once and without a trace', async () => {
  const folder = testFolder();
  await using millforge = createMillforge({ dataDir: join(folder, 'data') });
  expect(millforge).not.toHaveProperty('then');
  expect(millforge.trailPath).toBe(join(folder, 'data', 'trail.db'));
  expect(millforge.snapshot.records).toHaveLength(builtinTools().length + piTools().length);
  expect(await millforge.listRuns()).toEqual([]);
  await millforge[Symbol.asyncDispose]();
  expect(readdirSync(folder)).toEqual([]);
});

test('takes the usual data directory, the one of the environment given, or none', () => {
  expect(createMillforge({ env: { HOME: '/home/ada' } }).trailPath).toBe(
    '/home/ada/.local/state/millforge/trail.db',
  );
  expect(createMillforge({ env: { XDG_STATE_HOME: '/state' } }).trailPath).toBe(
    '/state/millforge/trail.db',
  );
  expect(createMillforge({ dataDir: null }).trailPath).toBeNull();
});

test('an empty HOME is none: the folder of the user is taken, never the current one', () => {
  vi.stubEnv('HOME', '');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { trailPath } = createMillforge({ env: { HOME: '' } });
  expect(trailPath).toBe(join(userInfo().homedir, '.local/state/millforge/trail.db'));
});

test('refuses what needs a trail when none is kept', async () => {
  await using millforge = createMillforge({ dataDir: null });
  const noTrail = { code: 'millforge/no-trail' };
  await expect(millforge.resume('run_x')).rejects.toMatchObject(noTrail);
  await expect(millforge.listRuns()).rejects.toMatchObject(noTrail);
  await expect(millforge.verifyTrail()).rejects.toMatchObject(noTrail);
});

test('opens no trail once it was disposed of', async () => {
  const dataDir = testFolder();
  const millforge = createMillforge({ dataDir, tools: [greetTool().tool] });
  const request = greeterRequest(millforge, dataDir);
  await millforge[Symbol.asyncDispose]();
  await expect(millforge.run(request)).rejects.toMatchObject({ code: 'millforge/closed' });
  expect(readdirSync(dataDir)).toEqual([]);
});

test('refuses tools that cannot stand beside each other', () => {
  const { tool } = greetTool();
  expect(() => createMillforge({ tools: [tool, tool] })).toThrow(
    expect.objectContaining({ code: 'registry/duplicate-tool' }),
  );
  const [shipped] = piTools();
  expect(() => createMillforge({ tools: shipped === undefined ? [] : [shipped] })).toThrow(
    expect.objectContaining({ code: 'registry/duplicate-tool' }),
  );
});

test('refuses a harness in which two tools have one name for the model', async () => {
  const { tool } = greetTool();
  const twin = {
    ...tool,
    descriptor: { ...tool.descriptor, tool_id: 'test.twin', implementation_id: 'impl.twin' },
  };
  await using millforge = createMillforge({ dataDir: null, tools: [tool, twin] });
  const source = GREETER.replace(
    '    finish:',
    '    again:\n      tool_ref: test.twin@1\n    finish:',
  );
  const compiled = compileGreeter(millforge, source);
  expect(compiled.ok).toBe(false);
  expect(compiled.diagnostics.map(({ code }) => code)).toEqual(['MF-R006']);
});

test('only compiles and inspects on native Windows, and says so before anything happens', async () => {
  const folder = testFolder();
  const { tool } = greetTool();
  await using millforge = createMillforge({
    dataDir: join(folder, 'data'),
    platform: 'win32',
    tools: [tool],
  });
  const run = millforge.run(greeterRequest(millforge, folder));
  await expect(run).rejects.toMatchObject({ code: 'millforge/unsupported-platform' });
  await expect(millforge.resume('run_x')).rejects.toMatchObject({
    code: 'millforge/unsupported-platform',
  });
  const [platform] = await millforge.doctor();
  expect(platform).toMatchObject({ subject: 'platform', isRight: false });
  expect(readdirSync(folder)).toEqual([]);
});
