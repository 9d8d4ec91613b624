import type { hash } from 'node:crypto';
import { createRequire } from 'node:module';

/** SHA-256 of bytes, or of the UTF-8 form of a text, as 64 lower-case hex digits. */
export function sha256(bytes: Uint8Array | string): string {
  crypto ??= requireBuiltin('node:crypto');
  return crypto.hash('sha256', bytes, 'hex');
}

interface Crypto {
  readonly hash: typeof hash;
}

// Loaded at the first digest: to load it takes a good part of the time of importing all the rest.
let crypto: Crypto | undefined;

const requireBuiltin: (name: 'node:crypto') => Crypto = createRequire(import.meta.url);
