import type { hash } from 'node:crypto';

/** SHA-256 of bytes, or of the UTF-8 form of a text, as 64 lower-case hex digits. */
export function sha256(bytes: Uint8Array | string): string {
  // Loaded at the first digest: to load it takes a good part of the time of importing all the rest.
  crypto ??= process.getBuiltinModule('node:crypto');
  return crypto.hash('sha256', bytes, 'hex');
}

let crypto: { readonly hash: typeof hash } | undefined;
