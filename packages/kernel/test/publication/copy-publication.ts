import { cpSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '@millforge/contracts';
import type { Leftover } from '../crash/moments.ts';
import { type FaultyCase, publishThrough } from './faulty-publication.ts';

/** Publishes once and, at every moment on the way, keeps a copy of all files where they differ from the last one. */
export async function copyPublication(
  one: FaultyCase,
  { completed, root }: { readonly completed: string; readonly root: string },
): Promise<readonly Leftover[]> {
  const whole = join(root, 'whole');
  mkdirSync(root, { recursive: true });
  cpSync(completed, whole, { recursive: true });
  const left: { moments: string[]; directory: string }[] = [];
  let last = '';
  const reach = (moment: string): void => {
    const digest = digestOf(whole);
    if (digest !== last) {
      const directory = join(root, String(left.length));
      cpSync(whole, directory, { recursive: true });
      left.push({ moments: [], directory });
      last = digest;
    }
    left.at(-1)?.moments.push(moment);
  };
  await publishThrough(whole, one, { reach });
  return left;
}

/** Digest over all files but the index of the write-ahead log, which is made anew after a kill. */
function digestOf(directory: string): string {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' }).toSorted();
  return sha256(
    names
      .map((name) => {
        const path = join(directory, name);
        const isRead = statSync(path).isFile() && !name.endsWith('-shm');
        return `${name} ${isRead ? sha256(readFileSync(path)) : ''}`;
      })
      .join('\n'),
  );
}
