import { execFileSync } from 'node:child_process';
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject, ToolReconciliation, ToolResult } from '@millforge/contracts';
import { expect, test } from 'vitest';
import { type ToolWorld, toolWorld } from './tool-world.ts';

const EDIT = { path: 'f', edits: [{ oldText: 'old', newText: 'new' }] };
const WRITE = { path: 'f', content: 'new text\n' };
const CALLS = [
  ['edit', EDIT],
  ['write', WRITE],
] as const;

test.each(CALLS)('%s does not undo permissions that were set meanwhile', async (tool, input) => {
  const world = await toolWorld();
  await writeFile(world.path('f'), 'old text\n');
  const { result } = await meanwhile(world, [tool, input], () => chmod(world.path('f'), 0o600));
  expect(result).toMatchObject({ kind: 'failed', code: 'conflict' });
  expect((await stat(world.path('f'))).mode & 0o777).toBe(0o600);
  expect(await readFile(world.path('f'), 'utf8')).toBe('old text\n');
});

test.each(CALLS)('%s leaves nothing where a folder was moved away', async (tool, input) => {
  const world = await toolWorld();
  await mkdir(world.path('d'));
  await writeFile(world.path('d/f'), 'old text\n');
  const call = [tool, { ...input, path: 'd/f' }] as const;
  const moved = () => rename(world.path('d'), world.path('elsewhere'));
  const { result } = await meanwhile(world, call, moved);
  expect(result).toMatchObject({ kind: 'failed', code: 'conflict' });
  expect(await readdir(world.workspace)).toEqual(['elsewhere']);
  expect(await readFile(world.path('elsewhere/f'), 'utf8')).toBe('old text\n');
});

test('looks after a crash at the file that was changed, wherever its link leads by now', async () => {
  const world = await toolWorld();
  await symlink('first', world.path('link'));
  const call = ['write', { path: 'link', content: 'x' }] as const;
  const { afterwards } = await meanwhile(world, call, null, async () => {
    await rm(world.path('link'));
    await symlink('second', world.path('link'));
  });
  expect(afterwards).toMatchObject({
    kind: 'happened',
    result: { kind: 'done', data: { changed_path: 'first' } },
  });
});

test('looks after a crash at the file that was changed, whatever has taken the name as sent', async () => {
  const world = await toolWorld();
  const call = ['write', { path: '@f', content: 'x' }] as const;
  const { afterwards } = await meanwhile(world, call, null, () =>
    writeFile(world.path('@f'), 'other'),
  );
  expect(afterwards).toMatchObject({ kind: 'happened' });
});

test.each<[string, (world: ToolWorld) => unknown]>([
  ['a folder', (world) => mkdir(world.path('f'))],
  ['a pipe', (world) => execFileSync('mkfifo', [world.path('f')])],
  ['a link to itself', (world) => symlink('f', world.path('f'))],
])('does not know what happened where %s stands now', async (_what, make) => {
  const world = await toolWorld();
  await writeFile(world.path('f'), 'old text\n');
  const { afterwards } = await meanwhile(world, ['edit', EDIT], null, async () => {
    await rm(world.path('f'));
    await make(world);
  });
  expect(afterwards).toMatchObject({
    kind: 'unknown',
    evidence: { path: 'f', reason: expect.stringMatching(/^what is there cannot be read \(/) },
  });
});

test.runIf(process.platform === 'linux')(
  'changes nothing behind a link to a name that is no text',
  async () => {
    const world = await toolWorld();
    const odd = Buffer.concat([Buffer.from(`${world.workspace}/`), Buffer.from([0xff])]);
    await mkdir(odd);
    await writeFile(Buffer.concat([odd, Buffer.from('/f')]), 'old text\n');
    await symlink(Buffer.from([0xff]), world.path('link'));
    await symlink(Buffer.from([0xff, 0xfe]), world.path('nowhere'));
    const before = await readdir(world.workspace, { encoding: 'buffer' });
    for (const [tool, input] of CALLS) {
      for (const path of ['link/f', 'link/new', 'nowhere']) {
        const { text } = await world.call(tool, { ...input, path });
        expect(text).toMatch(/^A link on the way leads to a name that is not UTF-8/);
      }
    }
    expect(await readdir(world.workspace, { encoding: 'buffer' })).toEqual(before);
    expect((await lstat(odd)).isDirectory()).toBe(true);
  },
);

test('of two processes that edit one file, the second to replace it is told', {
  tags: ['slow'],
}, async () => {
  const world = await toolWorld();
  await writeFile(world.path('f'), 'one\ntwo\n');
  const { result } = await meanwhile(world, ['edit', change('one', 'ours')], () => {
    const script = join(import.meta.dirname, 'crash/one-call.ts');
    const conditions =
      process.env['MILLFORGE_TEST_DIST'] === undefined ? ['--conditions=millforge-src'] : [];
    const input = JSON.stringify(change('two', 'theirs'));
    const call = [...conditions, '--import=tsx', script, world.workspace, 'edit', input];
    const printed = execFileSync(process.execPath, call, { encoding: 'utf8' });
    expect(JSON.parse(printed)).toMatchObject({ kind: 'done' });
  });
  expect(result).toMatchObject({ kind: 'failed', code: 'conflict' });
  expect(await readFile(world.path('f'), 'utf8')).toBe('one\ntheirs\n');
});

function change(oldText: string, newText: string) {
  return { path: 'f', edits: [{ oldText, newText }] };
}

/** Prepares a call, lets something happen, runs it, lets something happen, and asks what became of it. */
async function meanwhile(
  world: ToolWorld,
  [tool, input]: readonly [string, JsonObject],
  ...[before, after]: readonly [before: (() => unknown) | null, after?: () => unknown]
): Promise<{ readonly result: ToolResult; readonly afterwards: ToolReconciliation }> {
  const prepared = await world.prepare(tool, input);
  if (prepared.kind === 'refused') throw new Error(prepared.message);
  await before?.();
  const result = await prepared.run({
    runId: 'run-1',
    callId: 'call-1',
    workspace: world.workspace,
    signal: new AbortController().signal,
    clock: { now: () => 0, monotonicMs: () => 0, delay: async () => undefined },
    idempotencyKey: world.key,
  });
  await prepared.dispose?.();
  await after?.();
  return {
    result,
    afterwards: await world.reconcile(tool, input, { ...Object(prepared.before) }),
  };
}
