import type { Diagnostic } from '@millforge/contracts';
import type { Finding } from '../../src/read/word-findings.ts';

/** A finding of a check by itself, which stands in no text. */
export function worded({ path, word }: Finding): Diagnostic {
  return word({ path });
}
