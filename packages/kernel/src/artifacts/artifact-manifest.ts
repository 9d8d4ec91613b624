import {
  type ArtifactEntry,
  canonicalJson,
  isArtifactId,
  isSha256,
  type JsonObject,
  type JsonValue,
  MillforgeError,
  readJson,
  toPlainJson,
} from '@millforge/contracts';
import { artifactFileName } from './artifact-file-name.ts';

/** The artifacts of one run: the index of its folder. */
export interface ArtifactManifest {
  /** Type of this document. */
  readonly kind: 'artifact_manifest';
  /** Version of this document. */
  readonly schema_version: '1.0';
  /** The run. */
  readonly run_id: string;
  /** All artifacts, sorted by id; the manifest is none of them. */
  readonly artifacts: readonly ArtifactEntry[];
}

/** Canonical JSON of a manifest. */
export function emitManifest(manifest: ArtifactManifest): string {
  const { kind, schema_version, run_id, artifacts } = manifest;
  const entries = artifacts.map((entry) => ({ ...entry }));
  return canonicalJson({ kind, schema_version, run_id, artifacts: entries });
}

/**
 * Reads a manifest strictly: known fields only, no key twice, names that belong to their ids.
 *
 * @throws `artifact/corrupt` naming the first fault.
 */
export function readManifest(text: string): ArtifactManifest {
  const read = readJson(text);
  if (!read.ok) throw corrupt('it is no JSON');
  const value = toPlainJson(read.value);
  const document = closed(value, MANIFEST_FIELDS, 'the document');
  if (document['kind'] !== 'artifact_manifest' || document['schema_version'] !== '1.0') {
    throw corrupt('it is of another kind or version');
  }
  const { run_id, artifacts } = document;
  if (typeof run_id !== 'string' || !Array.isArray(artifacts)) throw corrupt('a field is missing');
  const entries = artifacts.map(readEntry);
  const ids = entries.map((entry) => entry.artifact_id);
  if (ids.join() !== [...new Set(ids)].toSorted().join()) {
    throw corrupt('its entries are not sorted, or an id is there twice');
  }
  return { kind: 'artifact_manifest', schema_version: '1.0', run_id, artifacts: entries };
}

function readEntry(value: JsonValue): ArtifactEntry {
  const entry = closed(value, ENTRY_FIELDS, 'an entry');
  const { artifact_id, path, media_type, byte_size, sha256_hex, producer } = entry;
  const { complete, failure_code } = entry;
  const isRight =
    typeof artifact_id === 'string' &&
    isArtifactId(artifact_id) &&
    typeof media_type === 'string' &&
    typeof path === 'string' &&
    typeof byte_size === 'number' &&
    Number.isSafeInteger(byte_size) &&
    byte_size >= 0 &&
    typeof sha256_hex === 'string' &&
    isSha256(sha256_hex) &&
    typeof producer === 'string' &&
    typeof complete === 'boolean' &&
    (failure_code === null || typeof failure_code === 'string') &&
    complete === (failure_code === null);
  if (!isRight) throw corrupt('an entry has a field of the wrong form');
  if (path !== artifactFileName(artifact_id, media_type)) {
    throw corrupt(`the file of ${artifact_id} does not have the name of its id`);
  }
  return {
    artifact_id,
    path,
    media_type,
    byte_size,
    sha256_hex,
    producer,
    complete,
    failure_code,
  };
}

function closed(value: JsonValue, fields: readonly string[], what: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw corrupt(`${what} is no object`);
  }
  const names = Object.keys(value).toSorted();
  if (names.join() !== fields.join()) throw corrupt(`${what} has other fields than it must`);
  // Neither null nor an array, as was just asked.
  return value as JsonObject;
}

function corrupt(fault: string): MillforgeError {
  return new MillforgeError('artifact/corrupt', `The manifest cannot be read: ${fault}.`);
}

const MANIFEST_FIELDS = ['artifacts', 'kind', 'run_id', 'schema_version'];
const ENTRY_FIELDS = [
  'artifact_id',
  'byte_size',
  'complete',
  'failure_code',
  'media_type',
  'path',
  'producer',
  'sha256_hex',
];
