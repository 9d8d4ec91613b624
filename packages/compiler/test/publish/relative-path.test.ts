import { compileFile } from '@millforge/compiler/publish';
import { expect, test } from 'vitest';
import { type LaidOut, layOut } from '../support/disk.ts';

const REFUSED = [
  '../a.yaml',
  'a/../b.yaml',
  '..',
  '.',
  './',
  'a\\b.yaml',
  '/abs.yaml',
  'x:y',
  'dir./f',
  'dir /f',
  'a.yaml.',
  'a.yaml ',
  'aux.yaml',
  'con',
  'folder/NUL.txt',
  'com1',
  'lpt9.tar.gz',
  'a\0b',
];

const ADMITTED = [
  'a//b.yaml',
  './a.yaml',
  'a.yaml/',
  'ä/ü.yaml',
  '...a',
  'console',
  'com0',
  'aux-1',
];

async function codesOf(lay: LaidOut, changes: object): Promise<readonly string[]> {
  const { diagnostics } = await compileFile({ ...lay.request, ...changes }, lay.input);
  return diagnostics.map(({ code }) => code);
}

test.each(REFUSED)('refuses the path %j of a source and of a directory (O-01)', async (path) => {
  const lay = await layOut();
  expect(await codesOf(lay, { source_path: path })).toEqual(['MF-S001']);
  expect(await codesOf(lay, { output_dir: path })).toEqual(['MF-S002']);
  expect(await codesOf(lay, { source_path: path, output_dir: path })).toEqual([
    'MF-S001',
    'MF-S002',
  ]);
});

test.each(ADMITTED)('takes the path %j for one that could exist', async (path) => {
  const lay = await layOut();
  expect(await codesOf(lay, { source_path: path })).toEqual(['MF-S013']);
  expect(await codesOf(lay, { output_dir: path })).toEqual(['MF-S017']);
});
