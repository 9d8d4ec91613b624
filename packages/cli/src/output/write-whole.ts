import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import { MillforgeError } from '@millforge/contracts';
import { systemCode, usageError } from '../cli-error.ts';

/**
 * Writes a file that is there whole, or not at all. A link keeps leading to its file, and a device or a pipe gets the
 * lines themselves: a file put in its place would take it away from every other program.
 *
 * @throws `cli/usage` where the file cannot be written.
 */
export async function writeWhole(path: string, lines: AsyncIterable<string>): Promise<void> {
  try {
    const found = await existing(path);
    if (found?.isReplaceable === false) await pour(path, lines, { isDurable: false });
    else await replace(found?.path ?? path, lines);
  } catch (cause) {
    const code = systemCode(cause);
    if (code === null || MillforgeError.is(cause)) throw cause;
    throw usageError(`The file ${path} cannot be written (${code}).`, cause);
  }
}

/** Whether two names lead to one file that is there. */
export async function isSameFile(path: string, other: string): Promise<boolean> {
  // What may not be looked at is said by whoever writes it.
  const [one, two] = await Promise.all(
    [path, other].map((name) => existing(name).catch(() => null)),
  );
  return one?.path !== undefined && one.path === two?.path;
}

/** What a name leads to in the end; null where nothing is. */
async function existing(
  path: string,
): Promise<{ readonly path: string; readonly isReplaceable: boolean } | null> {
  try {
    const found = await stat(path);
    // The name of what a descriptor leads to is no place of its own: /dev/stdout in a pipe, for one.
    return found.isFile()
      ? { path: await realpath(path), isReplaceable: true }
      : { path, isReplaceable: false };
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') return null;
    throw cause;
  }
}

async function replace(path: string, lines: AsyncIterable<string>): Promise<void> {
  const unfinished = `${path}.unfinished`;
  try {
    await pour(unfinished, lines, { isDurable: true });
    await rename(unfinished, path);
  } catch (cause) {
    await rm(unfinished, { force: true });
    throw cause;
  }
}

async function pour(
  path: string,
  lines: AsyncIterable<string>,
  { isDurable }: { readonly isDurable: boolean },
): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    for await (const line of lines) await file.write(line);
    if (isDurable) await file.sync();
  } finally {
    await file.close();
  }
}
