import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ArtifactStore } from '@millforge/contracts';
import { makeFolder } from '../../make-folder.ts';
import type { CapturedTree } from './captured-tree.ts';
import { readArtifact } from './read-artifact.ts';

/**
 * Puts a captured tree in the place of a directory, whatever is there.
 *
 * The tree stands whole under its name, or the name is free: a repetition after a crash does it anew.
 */
export async function placeTree(
  tree: CapturedTree,
  { directory, store }: { readonly directory: string; readonly store: Pick<ArtifactStore, 'open'> },
): Promise<void> {
  const unfinished = `${directory}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  makeFolder(dirname(directory), 0o700);
  await mkdir(unfinished, { mode: 0o700 });
  // Sorted by path, so a directory comes before what is in it.
  for (const entry of tree.entries) {
    const place = join(unfinished, entry.path);
    switch (entry.type) {
      case 'directory':
        await mkdir(place);
        break;
      case 'link':
        await symlink(entry.target, place);
        break;
      case 'file':
      default: {
        await writeFile(place, await readArtifact(store, entry.sha256), { flag: 'wx' });
        await chmod(place, entry.executable ? 0o755 : 0o644);
      }
    }
  }
  await rm(directory, { recursive: true, force: true });
  await rename(unfinished, directory);
}
