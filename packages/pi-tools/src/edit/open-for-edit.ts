import { accessSync, constants } from 'node:fs';
import { type ReadFile, readFoundFile } from '../found-file.ts';
import { errnoOf, toolFault } from '../tool-fault.ts';

/**
 * Reads a file that is to be changed, and that may be written.
 *
 * @throws `tool/not_found` and `tool/permission_denied`, worded for the model.
 */
export async function openForEdit(target: string, sent: string): Promise<ReadFile> {
  try {
    accessSync(target, constants.R_OK | constants.W_OK);
  } catch (error) {
    const code = errnoOf(error) ?? 'UNKNOWN';
    const kind = code === 'ENOENT' || code === 'ENOTDIR' ? 'not_found' : 'permission_denied';
    throw toolFault(kind, `Could not edit file: ${sent}. Error code: ${code}.`, error);
  }
  const found = await readFoundFile(target);
  if (found !== null) return found;
  throw toolFault('not_found', `Could not edit file: ${sent}. Error code: ENOENT.`);
}
