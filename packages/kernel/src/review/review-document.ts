import {
  type ArtifactStore,
  canonicalJson,
  deepFreeze,
  type JsonValue,
  readJson,
  toPlainJson,
} from '@millforge/contracts';
import type { TaskContext } from '../adapter.ts';
import { reviewError } from './review-error.ts';

/** A document that one step of a review hands to the next, as an artifact. */
export interface ReviewDocument<Kind extends string> {
  readonly kind: Kind;
  readonly schema_version: '1.0';
}

/** Keeps a document as an artifact of the goal, and gives its digest. */
export async function saveDocument(
  context: Pick<TaskContext, 'saveArtifact'>,
  document: ReviewDocument<string> & object,
): Promise<string> {
  // Interfaces without an index signature are no JSON to the type checker; what is none, this refuses.
  const ref = await context.saveArtifact(Buffer.from(canonicalJson(plainOf(document))), {
    mediaType: 'application/json',
    maxBytes: MAX_DOCUMENT_BYTES,
  });
  return ref.sha256;
}

/** Reads a document back by the digest that a step of the same review recorded. */
export async function loadDocument<Document extends ReviewDocument<string>>(
  store: Pick<ArtifactStore, 'open'>,
  digest: JsonValue | undefined,
  kind: Document['kind'],
): Promise<Document> {
  if (typeof digest !== 'string') throw notADocument(kind);
  const read = readJson((await readArtifact(store, digest)).toString('utf8'));
  const value: unknown = read.ok ? toPlainJson(read.value) : null;
  if (!isOfKind<Document>(value, kind)) throw notADocument(kind);
  return deepFreeze(value);
}

/** The whole of an artifact. */
export async function readArtifact(
  store: Pick<ArtifactStore, 'open'>,
  digest: string,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of store.open(digest)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** A value as plain JSON; whatever has no JSON form is left out or refused by the encoder behind this. */
export function plainOf(value: unknown): JsonValue {
  const plain: JsonValue = JSON.parse(JSON.stringify(value));
  return plain;
}

// The digest was recorded by the step that wrote the document, so kind and version decide about the rest.
function isOfKind<Document extends ReviewDocument<string>>(
  value: unknown,
  kind: Document['kind'],
): value is Document {
  return (
    typeof value === 'object' &&
    value !== null &&
    'kind' in value &&
    value.kind === kind &&
    'schema_version' in value &&
    value.schema_version === '1.0'
  );
}

function notADocument(kind: string): Error {
  return reviewError(
    'review/not-a-review',
    `There is no ${kind} of version 1.0 where this review should have one.`,
  );
}

const MAX_DOCUMENT_BYTES = 67_108_864;
