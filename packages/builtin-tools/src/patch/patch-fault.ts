import type { MillforgeError } from '@millforge/contracts';
import { toolFault } from '../tool-faults.ts';

/** A patch that cannot be read; the line is that of the patch. */
export function malformed(line: number, sentence: string): MillforgeError {
  return toolFault('invalid_arguments', `malformed_patch: line ${line} of the patch: ${sentence}`);
}

/** A patch that does not fit the files. */
export function misfit(sentence: string): MillforgeError {
  return toolFault('conflict', `patch_does_not_apply: ${sentence}`);
}
