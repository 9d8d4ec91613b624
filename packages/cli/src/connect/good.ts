import type { ReadResult } from '@millforge/connectors';
import { documentError } from '../cli-error.ts';

/**
 * The document that was read.
 *
 * @throws `cli/document` with the first of what is wrong with it.
 */
export function good<T>(read: ReadResult<T>, what: string): T {
  if (read.ok) return read.value;
  const [first] = read.diagnostics;
  throw documentError(`${what} is wrong at ${first?.path ?? '/'}: ${first?.message ?? 'unknown'}`);
}
