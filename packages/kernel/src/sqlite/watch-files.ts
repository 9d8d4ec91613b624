import { statSync } from 'node:fs';

/**
 * Looks whether the names of a trail's files still lead to what its connection has open; gives the first that does not.
 * Whoever deletes a file or puts another one in its place leaves the connection writing to one that nobody finds again.
 * Looks by name alone: a descriptor of its own would drop the locks of the process.
 */
export function watchFiles(path: string): () => string | null {
  const known = ['', '-wal', '-shm'].flatMap((suffix) => {
    const file = `${path}${suffix}`;
    const identity = identityOf(file);
    return typeof identity === 'string' ? [{ file, identity }] : [];
  });
  return () =>
    known.find(({ file, identity }) => {
      const found = identityOf(file);
      return found !== undefined && found !== identity;
    })?.file ?? null;
}

/** Device and inode; null for a name that leads nowhere, undefined where it may not be looked. */
function identityOf(file: string): string | null | undefined {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    return found === undefined ? null : `${found.dev}:${found.ino}`;
  } catch {
    // A folder that may not be entered says nothing about what is in it.
    return undefined;
  }
}
