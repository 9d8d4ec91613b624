import { digest, type JsonObject } from '@millforge/contracts';

/** Digest of an object, or null for one without canonical JSON. */
export function digestOrNull(value: JsonObject): string | null {
  // Most tools answer without structured data, and the digest of none is always the same.
  if (Object.keys(value).length === 0) return (ofEmpty ??= digest({}));
  try {
    return digest(value);
  } catch {
    // A record without this digest is worth more than no record.
    return null;
  }
}

let ofEmpty: string | undefined;
