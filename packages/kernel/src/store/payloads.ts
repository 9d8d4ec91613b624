import { canonicalJson, type JsonValue, MillforgeError, sha256 } from '@millforge/contracts';
import type { Transaction } from '../sqlite/database.ts';

/** Canonical bytes of a JSON value, and their digest. */
export interface Payload {
  readonly text: string;
  readonly sha256: string;
}

/** Encodes a value, or a document, as the bytes that are kept and digested. */
export function toPayload(value: JsonValue | object): Payload {
  // The encoder refuses whatever is no JSON, so the cast claims nothing that is not checked.
  const text = canonicalJson(value as JsonValue);
  return { text, sha256: sha256(text) };
}

/** Keeps a payload for a tenant, once. */
export function savePayload(tx: Transaction, tenant: string, payload: Payload): void {
  tx.run(
    'INSERT INTO payloads (tenant, sha256, bytes) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    tenant,
    payload.sha256,
    Buffer.from(payload.text),
  );
}

/** Reads a payload as it was given. */
export function readPayload(tx: Transaction, tenant: string, digest: string): JsonValue {
  const row = tx.get('SELECT bytes FROM payloads WHERE tenant = ? AND sha256 = ?', tenant, digest);
  const bytes = row?.['bytes'];
  if (!(bytes instanceof Uint8Array)) throw missing(digest);
  return parsePayload(Buffer.from(bytes).toString('utf8'), digest);
}

/** What recorded bytes parse to, after their digest was compared. */
export function parsePayload(text: string, digest: string): JsonValue {
  if (sha256(text) !== digest) throw missing(digest);
  return JSON.parse(text) as JsonValue; // JSON.parse gives nothing but JSON values.
}

function missing(digest: string): MillforgeError {
  return new MillforgeError(
    'kernel/corrupt',
    `The payload ${digest.slice(0, 12)}… is missing or was changed; run \`millforge trail verify\`.`,
  );
}
