import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type ToolWorld, textOf, toolWorld, until } from '../tool-world.ts';

const EDIT = { path: 'f', edits: [{ oldText: 'old', newText: 'new' }] };

test('an edit that is killed before the rename did not happen, and can be made again', async () => {
  const world = await toolWorld();
  await writeFile(world.path('f'), 'old text\n');
  const before = await killedAt(world, 'before-effect', { tool: 'edit', input: EDIT });
  expect(await readFile(world.path('f'), 'utf8')).toBe('old text\n');
  expect(await readdir(world.workspace)).toHaveLength(2);
  expect(await world.reconcile('edit', EDIT, before)).toMatchObject({ kind: 'not-happened' });
  expect(await readdir(world.workspace)).toEqual(['f']);
  textOf(await world.call('edit', EDIT));
  expect(await readFile(world.path('f'), 'utf8')).toBe('new text\n');
});

test('an edit that is killed after the rename happened, and says what it would have said', async () => {
  const world = await toolWorld();
  await writeFile(world.path('f'), 'old text\n');
  const before = await killedAt(world, 'after-effect', { tool: 'edit', input: EDIT });
  expect(await readFile(world.path('f'), 'utf8')).toBe('new text\n');
  expect(await world.reconcile('edit', EDIT, before)).toMatchObject({
    kind: 'happened',
    result: { kind: 'done', text: 'Successfully replaced 1 block(s) in f.' },
  });
});

test('a command outlives the killed process, and is seen to live until it ends', async () => {
  const world = await toolWorld();
  const input = { command: 'echo $$ > pid; exec sleep 30' };
  await killedAt(world, 'after-effect', { tool: 'bash', input });
  await until(async () => (await readdir(world.workspace)).includes('pid'));
  await until(async () => (await readFile(world.path('pid'), 'utf8')) !== '');
  const lives = { kind: 'unknown', evidence: { processes_alive: true } };
  expect(await world.reconcile('bash', input, null)).toEqual(lives);
  process.kill(Number(await readFile(world.path('pid'), 'utf8')));
  const gone = { kind: 'unknown', evidence: { processes_alive: false } };
  await until(async () => {
    const answer = await world.reconcile('bash', input, null);
    return JSON.stringify(answer) === JSON.stringify(gone);
  });
});

/** Makes a call in a process of its own that dies at that point; gives the evidence before the act. */
async function killedAt(
  world: ToolWorld,
  phase: 'before-effect' | 'after-effect',
  call: { readonly tool: string; readonly input: object },
) {
  const script = join(import.meta.dirname, 'interrupted-call.ts');
  const conditions =
    process.env['MILLFORGE_TEST_DIST'] === undefined ? ['--conditions=millforge-src'] : [];
  const child = spawn(
    process.execPath,
    [
      ...conditions,
      '--import=tsx',
      script,
      world.workspace,
      call.tool,
      phase,
      JSON.stringify(call.input),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const [, signal] = await once(child, 'close');
  expect(signal).toBe('SIGKILL');
  const before: unknown = JSON.parse(printed);
  return before === null ? null : { ...Object(before) };
}
