import { canonicalJson, type JsonValue, MillforgeError, sha256 } from '@millforge/contracts';
import type { StoreTransaction } from './store-transaction.ts';

/** Canonical bytes of a JSON value, and their digest. */
export interface Payload {
  /** Canonical JSON, with a line feed at its end. */
  readonly text: string;
  /** Digest of the text. */
  readonly sha256: string;
}

/** What a row says about a payload: its digest, and its text when the row keeps it. */
export interface KeptPayload {
  /** Digest of its text. */
  readonly sha256: string;
  /** The text itself; null where it lies apart. */
  readonly json: string | null;
}

/** Encodes a value, or a document, as the bytes that are kept and digested. */
export function toPayload(value: JsonValue | object): Payload {
  // The encoder refuses whatever is no JSON, so the cast claims nothing that is not checked.
  const text = canonicalJson(value as JsonValue);
  return { text, sha256: sha256(text) };
}

/** Keeps a payload for a tenant, once. */
export function savePayload(tx: StoreTransaction, tenant: string, payload: Payload): void {
  tx.insert('payloads', {
    columns: PAYLOAD_COLUMNS,
    values: [tenant, payload.sha256, Buffer.from(payload.text)],
    ifAbsent: true,
  });
}

/** Whether the row that names a payload keeps it too. */
export function isKeptInRow({ text }: Payload): boolean {
  return text.length <= MAX_KEPT_LENGTH;
}

/** What the row that names a payload keeps of it; null where it lies apart. */
export function keptText(payload: Payload): string | null {
  return isKeptInRow(payload) ? payload.text : null;
}

/** Reads a payload that the row may keep. */
export function readKeptPayload(
  tx: StoreTransaction,
  tenant: string,
  { sha256: digest, json }: KeptPayload,
): JsonValue {
  return json === null ? readPayload(tx, tenant, digest) : parsePayload(json, digest);
}

/** Reads a payload as it was given. */
export function readPayload(tx: StoreTransaction, tenant: string, digest: string): JsonValue {
  return JSON.parse(readPayloadText(tx, tenant, digest)) as JsonValue; // JSON.parse gives nothing but JSON values.
}

/** Reads the bytes of a payload, after their digest was compared. */
export function readPayloadText(tx: StoreTransaction, tenant: string, digest: string): string {
  const row = tx.find('payloads', { tenant, sha256: digest });
  const bytes = row?.['bytes'];
  if (!(bytes instanceof Uint8Array)) throw missing(digest);
  const text = Buffer.from(bytes).toString('utf8');
  if (sha256(text) !== digest) throw missing(digest);
  return text;
}

/** What recorded bytes parse to, after their digest was compared. */
function parsePayload(text: string, digest: string): JsonValue {
  if (sha256(text) !== digest) throw missing(digest);
  return JSON.parse(text) as JsonValue; // JSON.parse gives nothing but JSON values.
}

function missing(digest: string): MillforgeError {
  return new MillforgeError(
    'kernel/corrupt',
    `The payload ${digest.slice(0, 12)}… is missing or was changed; run \`millforge trail verify\`.`,
  );
}

const PAYLOAD_COLUMNS = ['tenant', 'sha256', 'bytes'];
// A payload of a page of its own costs two dirty pages more, its own and that of the index; a large one in the row would
// make every read of the row slow.
const MAX_KEPT_LENGTH = 1024;
