import type { Readable } from 'node:stream';
import type { Redactor } from '@millforge/contracts';
import { toWellFormed } from '../session/well-formed.ts';

/** Keeps the last of what a server says beside, redacted when it is asked for. */
export function keepStderr(
  stderr: Readable,
  options: { readonly redactor: Redactor; readonly maxBytes: number },
): { text(): string; lastLine(): string } {
  let kept = Buffer.alloc(0);
  stderr.on('data', (chunk: Buffer) => {
    kept = Buffer.concat([kept, chunk.subarray(-options.maxBytes)]).subarray(-options.maxBytes);
  });
  stderr.on('error', () => undefined);
  const text = (): string => options.redactor.text(toWellFormed(kept.toString('utf8')));
  return {
    text,
    lastLine: () => text().trim().split('\n').at(-1)?.trim().slice(0, 300) ?? '',
  };
}
