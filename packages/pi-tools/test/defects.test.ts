import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { textOf, toolWorld } from './tool-world.ts';

test('takes null for an optional argument that is absent (KB-17)', async () => {
  const world = await toolWorld();
  await writeFile(world.path('f'), 'a\nb\n');
  const read = await world.call('read', { path: 'f', offset: null, limit: null });
  expect(textOf(read)).toBe('a\nb\n');
  expect(textOf(await world.call('ls', { path: null, limit: null }))).toBe('f');
  const bash = await world.call('bash', { command: 'echo a', timeout: null });
  expect(textOf(bash)).toBe('a\n');
  const grep = { pattern: 'a', path: null, glob: null, ignoreCase: null, context: null };
  expect(textOf(await world.call('grep', { ...grep, literal: null, limit: null }))).toBe('f:1: a');
  expect(textOf(await world.call('find', { pattern: 'f', path: null, limit: null }))).toBe('f');
});

test('tells a bitmap from text (KB-18)', async () => {
  const world = await toolWorld();
  await writeFile(world.path('text'), 'BM is what this text begins with, and no bitmap\n');
  expect(textOf(await world.call('read', { path: 'text' }))).toMatch(/^BM is what/);
});

test('writes paths with slashes and reads them so (KB-41)', async () => {
  const world = await toolWorld();
  await mkdir(world.path('src/deep'), { recursive: true });
  await writeFile(world.path('src/deep/a.ts'), 'hit\n');
  const glob = 'src/**/*.ts';
  expect(textOf(await world.call('find', { pattern: glob }))).toBe('src/deep/a.ts');
  expect(textOf(await world.call('grep', { pattern: 'hit', glob }))).toBe('src/deep/a.ts:1: hit');
});

test('answers every call of a batch that is stopped (KB-45)', async () => {
  const world = await toolWorld();
  const signal = AbortSignal.abort();
  const edits = [{ oldText: 'a', newText: 'b' }];
  const calls = [
    ['read', { path: 'f' }],
    ['bash', { command: 'touch f' }],
    ['edit', { path: 'f', edits }],
    ['write', { path: 'f', content: 'a' }],
    ['grep', { pattern: 'a' }],
    ['find', { pattern: '*' }],
    ['ls', {}],
  ] as const;
  const answers = await Promise.all(
    calls.map(([name, input]) => world.call(name, { ...input }, { signal })),
  );
  expect(answers.map(({ kind, text }) => `${kind} ${text}`)).toEqual(
    calls.map(([name]) => `failed ${name === 'bash' ? 'Command' : 'Operation'} aborted`),
  );
  expect(await readdir(world.workspace)).toEqual([]);
});
