import type { TimeLimit } from './time-limit.ts';

/** The text of a body, or why there is none. */
export type BodyResult =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: 'too-large' | 'not-utf8' };

/**
 * Reads a body as it arrives and stops at the limit; the rest is never read.
 *
 * Counts bytes after decompression. Rejects when the connection breaks or the time is over; the
 * caller then closes the connection.
 */
export async function readBody(
  response: Response,
  options: { readonly maxBytes: number; readonly limit: TimeLimit },
): Promise<BodyResult> {
  const declared = Number(response.headers.get('content-length') ?? 0);
  if (declared > options.maxBytes) return { ok: false, reason: 'too-large' };
  const reader = response.body?.getReader();
  if (reader === undefined) return { ok: true, text: '' };
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let bytes = 0;
  let text = '';
  for (;;) {
    const chunk = await options.limit.race(reader.read());
    try {
      if (chunk.done) return { ok: true, text: text + decoder.decode() };
      bytes += chunk.value.byteLength;
      if (bytes > options.maxBytes) return { ok: false, reason: 'too-large' };
      text += decoder.decode(chunk.value, { stream: true });
    } catch {
      // A fatal decoder throws for one reason only.
      return { ok: false, reason: 'not-utf8' };
    }
  }
}
