import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { packageFolders, readManifest } from './package-entries.ts';

const PACKED = resolve('.cache/packed');

/** Packs every package as it would be published; gives the tarball of each by package name. */
export async function packAll(): Promise<ReadonlyMap<string, string>> {
  rmSync(PACKED, { recursive: true, force: true });
  mkdirSync(PACKED, { recursive: true });
  const tarballs = new Map<string, string>();
  const queue = [...packageFolders()];
  await Promise.all([worker(), worker()]);
  return tarballs;

  async function worker(): Promise<void> {
    for (let folder = queue.shift(); folder !== undefined; folder = queue.shift()) {
      const destination = join(PACKED, folder.replaceAll('/', '-'));
      mkdirSync(destination);
      await promisify(execFile)('pnpm', ['pack', '--pack-destination', destination], {
        cwd: folder,
      });
      const [tarball] = readdirSync(destination);
      if (tarball === undefined) throw new Error(`${folder}: pnpm pack made no tarball`);
      tarballs.set(readManifest(folder).name, join(destination, tarball));
    }
  }
}
