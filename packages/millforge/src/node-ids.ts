import { randomBytes } from 'node:crypto';
import type { Ids } from '@millforge/contracts';

/** Random identifiers of 100 bits, in letters and digits that a person can read out. */
export function nodeIds(): Ids {
  return {
    newId(prefix) {
      const letters = Array.from(randomBytes(20), (byte) => ALPHABET[byte % ALPHABET.length]);
      return `${prefix}_${letters.join('')}`;
    },
  };
}

// 32 characters, so that a byte maps to each with the same likelihood; none looks like another.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
