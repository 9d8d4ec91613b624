import { chmod, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { type JsonObject, type PreparedTool, sha256 } from '@millforge/contracts';
import { expect, test } from 'vitest';
import { textOf, toolWorld } from './tool-world.ts';

// Longer than what is read for the record before it is replaced.
const LONG = 'one line\n'.repeat(50_000);

test('knows of a long file that was replaced as a whole, though its content was not read', async () => {
  const world = await toolWorld({ onEffect: dieAt('after-effect') });
  await writeFile(world.path('f'), LONG);
  const input = { path: 'f', content: `${LONG}more` };
  const before = await interrupted(world, input);
  expect(before).toMatchObject({ sha256_before: null, bytes_before: LONG.length });
  expect(await world.reconcile('write', input, before)).toMatchObject({
    kind: 'happened',
    result: { after: { sha256: sha256(`${LONG}more`), bytes: LONG.length + 4 } },
  });
});

test('knows of a long file that was not replaced', async () => {
  const world = await toolWorld({ onEffect: dieAt('before-effect') });
  await writeFile(world.path('f'), LONG);
  const input = { path: 'f', content: 'new' };
  const before = await interrupted(world, input);
  expect(await world.reconcile('write', input, before)).toMatchObject({ kind: 'not-happened' });
  await writeFile(world.path('f'), LONG.toUpperCase());
  expect(await world.reconcile('write', input, before)).toMatchObject({ kind: 'unknown' });
});

test('notices that a long file has become another of the same length', async () => {
  const world = await toolWorld();
  await writeFile(world.path('f'), LONG);
  await utimes(world.path('f'), 1, 1);
  const prepared = await prepareWrite(world, { path: 'f', content: 'new' });
  await writeFile(world.path('f'), LONG.toUpperCase());
  expect(await prepared.run(liveContext(world.workspace))).toMatchObject({ code: 'conflict' });
  await prepared.dispose?.();
  expect(await readFile(world.path('f'), 'utf8')).toBe(LONG.toUpperCase());
});

test('takes a short file for unchanged when only its times have changed', async () => {
  const world = await toolWorld();
  await writeFile(world.path('f'), 'old');
  const prepared = await prepareWrite(world, { path: 'f', content: 'new' });
  await utimes(world.path('f'), 1, 1);
  expect(await prepared.run(liveContext(world.workspace))).toMatchObject({ kind: 'done' });
  await prepared.dispose?.();
  expect(await readFile(world.path('f'), 'utf8')).toBe('new');
});

test('compares the content before an edit, also where size and times are the same', async () => {
  const world = await toolWorld();
  await writeFile(world.path('f'), 'old text');
  await utimes(world.path('f'), 1, 1);
  const edits = [{ oldText: 'old', newText: 'new' }];
  const prepared = await world.prepare('edit', { path: 'f', edits });
  if (prepared.kind === 'refused') throw new Error(prepared.message);
  await writeFile(world.path('f'), 'old, too');
  await utimes(world.path('f'), 1, 1);
  expect(await prepared.run(liveContext(world.workspace))).toMatchObject({ code: 'conflict' });
  await prepared.dispose?.();
});

test.each([false, true])('writes long and short content whole, durable: %s', async (durable) => {
  const world = await toolWorld({ durable });
  for (const content of ['', 'short', LONG, LONG.repeat(8)]) {
    await writeFile(world.path('old'), 'old');
    await chmod(world.path('old'), 0o640);
    for (const path of ['old', 'new/one']) {
      textOf(await world.call('write', { path, content }));
      expect(await readFile(world.path(path), 'utf8')).toBe(content);
    }
    expect((await stat(world.path('old'))).mode & 0o777).toBe(0o640);
  }
  expect((await readdir(world.workspace)).toSorted()).toEqual(['new', 'old']);
});

function dieAt(at: 'before-effect' | 'after-effect') {
  return (_tool: string, phase: string): void => {
    if (phase === at) throw new Error('killed');
  };
}

type World = Awaited<ReturnType<typeof toolWorld>>;

async function prepareWrite(world: World, input: JsonObject): Promise<PreparedTool> {
  const prepared = await world.prepare('write', input);
  if (prepared.kind === 'refused') throw new Error(prepared.message);
  return prepared;
}

/** Takes a write as far as the hook lets it, and gives the evidence that it left. */
async function interrupted(world: World, input: JsonObject): Promise<JsonObject> {
  const prepared = await prepareWrite(world, input);
  await expect(prepared.run(liveContext(world.workspace))).rejects.toThrow('killed');
  await prepared.dispose?.();
  return { ...Object(prepared.before) };
}

function liveContext(workspace: string) {
  return {
    runId: 'run-1',
    callId: 'call-1',
    workspace,
    signal: new AbortController().signal,
    clock: { now: () => 0, monotonicMs: () => 0, delay: async () => undefined },
    idempotencyKey: 'key-1',
  };
}
