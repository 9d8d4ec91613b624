import { sha256 as hash } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** SHA-256 of bytes, or of the UTF-8 form of a text, as 64 lower-case hex digits. */
export function sha256(bytes: Uint8Array | string): string {
  return bytesToHex(hash(typeof bytes === 'string' ? utf8ToBytes(bytes) : bytes));
}
