import { mkdir, readdir, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { compileFile, systemFiles } from '@millforge/compiler/publish';
import { expect, test } from 'vitest';
import { filesIn, type LaidOut, layOut, PLAN_NAME, planBytes } from '../support/disk.ts';
import { faultyDisk } from '../support/faulty-disk.ts';

/** Puts a link to another directory in the place of the output directory. */
async function exchange({ folder, output }: LaidOut): Promise<void> {
  await rename(output, join(folder, 'aside'));
  await symlink(join(folder, 'target'), output);
}

test('a directory exchanged for a link at any moment redirects nothing', async () => {
  const kinds = new Set<string>();
  for (let at = 0; ; at++) {
    const lay = await layOut();
    const { folder } = lay;
    await mkdir(join(folder, 'target'));
    const { files, operations } = faultyDisk({ at, how: { before: () => exchange(lay) } });
    const outcome = await compileFile(lay.request, { ...lay.input, fs: files });
    if (operations.length <= at) break;
    expect(await readdir(join(folder, 'target')), `operation ${at}`).toEqual([]);
    const aside = await filesIn(join(folder, 'aside'));
    const isPublished = outcome.kind === 'published';
    expect(aside.get(PLAN_NAME) ?? null, `operation ${at}`).toBe(
      isPublished ? new TextDecoder().decode(await planBytes()) : null,
    );
    kinds.add(outcome.kind);
    await rm(folder, { recursive: true });
  }
  expect([...kinds].toSorted()).toEqual(['not_written', 'published', 'rejected']);
});

test('where nothing anchors a directory, one that was exchanged before a step is noticed', async () => {
  const kinds = new Set<string>();
  const base = { ...systemFiles, anchor: () => null };
  for (let at = 0; ; at++) {
    const lay = await layOut();
    await mkdir(join(lay.folder, 'target'));
    const { files, operations } = faultyDisk({ at, how: { before: () => exchange(lay) } }, base);
    const outcome = await compileFile(lay.request, { ...lay.input, fs: files });
    const operation = operations[at];
    if (operation === undefined) break;
    // Between looking at the directory and using it is the moment in which nothing helps.
    if (operation.name !== 'lstat' || operation.path !== 'compiled') continue;
    expect(await filesIn(join(lay.folder, 'target')), `operation ${at}`).toEqual(new Map());
    kinds.add(outcome.kind);
  }
  expect([...kinds]).toContain('not_written');
});

test('a directory that is removed while compiling is a result, and is not made again', async () => {
  const lay = await layOut();
  const { files } = faultyDisk({
    at: 14,
    how: { before: () => rm(lay.output, { recursive: true }) },
  });
  const outcome = await compileFile(lay.request, { ...lay.input, fs: files });
  expect(outcome.diagnostics.map(({ code }) => code)).toContain('MF-O001');
  expect(await readdir(lay.request.output_root)).toEqual([]);
});
