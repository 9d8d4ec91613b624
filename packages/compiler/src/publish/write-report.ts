import { errorCode } from './error-code.ts';
import type { OpenDirectory } from './open-directory.ts';
import type { PublishFiles } from './publish-files.ts';
import { type Leftover, type NewFile, removeTemporary, writeTemporary } from './temporary-file.ts';

/** What is known about a report after writing it. */
export type WrittenReport =
  | { readonly ok: true }
  | { readonly ok: false; readonly errorCode: string; readonly leftover: Leftover | null };

/** Writes a report in place of the one that the same request left before: whole or not at all. Never throws. */
export async function writeReport(
  directory: OpenDirectory,
  file: NewFile,
  files: PublishFiles,
): Promise<WrittenReport> {
  const written = await writeTemporary(directory, file, files);
  if (!written.ok) {
    return { ok: false, errorCode: errorCode(written.error), leftover: written.leftover };
  }
  const temporary = directory.pathOf(written.name);
  try {
    await directory.within(() => files.rename(temporary, directory.pathOf(file.fileName)));
  } catch (error) {
    const leftover = await removeTemporary(directory, written.name, files);
    return { ok: false, errorCode: errorCode(error), leftover };
  }
  try {
    await directory.handle.sync();
    return { ok: true };
  } catch (error) {
    return { ok: false, errorCode: errorCode(error), leftover: null };
  }
}
