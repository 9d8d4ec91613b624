import { digest, isSha256 } from '@millforge/contracts';
import type { FieldReader } from '../documents/field-reader.ts';

/** How a connector's server is reached. */
export type ConnectorTransportKind = 'stdio' | 'http';

/** Which server stands behind a connector: what was configured, and what the server said of itself. */
export interface ConnectorIdentity {
  /** The operator's name of the connector. */
  readonly connector_id: string;
  /** Protocol that is spoken, such as `mcp`. */
  readonly protocol: string;
  /** How it is reached. */
  readonly transport_kind: ConnectorTransportKind;
  /** Version of the protocol that was agreed on. */
  readonly protocol_version: string;
  /** Name of the program or service, as configured. */
  readonly implementation_name: string;
  /** Its version; this or a digest is required. */
  readonly implementation_version: string | null;
  /** SHA-256 of its executable; this or a version is required. */
  readonly implementation_digest: string | null;
  /** Name that the server gives itself; evidence, never trusted. */
  readonly server_reported_name: string | null;
  /** Version that the server gives itself; evidence, never trusted. */
  readonly server_reported_version: string | null;
  /** Names of the secrets that it is given, sorted; never the secrets. */
  readonly configured_secret_refs: readonly string[];
  /** When it was discovered, UTC; in no digest. */
  readonly discovered_at: string;
}

/** Which server the manifest was written for; matches only if all six fields are equal. */
export interface ExpectedConnectorIdentity {
  /** Protocol that is spoken. */
  readonly protocol: string;
  /** Version of the protocol that was agreed on. */
  readonly protocol_version: string;
  /** How it is reached. */
  readonly transport_kind: ConnectorTransportKind;
  /** Name of the program or service. */
  readonly implementation_name: string;
  /** Its version; this or a digest is required. */
  readonly implementation_version: string | null;
  /** SHA-256 of its executable; this or a version is required. */
  readonly implementation_digest: string | null;
}

/** Digest of an identity; the time of discovery is not in it, so that the same server keeps its digest. */
export function identityDigest(identity: ConnectorIdentity): string {
  const { discovered_at: _, configured_secret_refs: refs, ...fields } = identity;
  return digest({
    kind: 'millforge.connector.identity.v1',
    ...fields,
    configured_secret_refs: refs.toSorted(),
  });
}

/** The first field in which an identity is not the expected one, or null. */
export function findIdentityMismatch(
  identity: ConnectorIdentity,
  expected: ExpectedConnectorIdentity,
): keyof ExpectedConnectorIdentity | null {
  return EXPECTED_FIELDS.find((field) => identity[field] !== expected[field]) ?? null;
}

/** Reads an identity; faults go to the reader. */
export function readIdentity(reader: FieldReader, value: unknown, path: string): ConnectorIdentity {
  const of = reader.fields(value, path, IDENTITY_FIELDS);
  const optional = (key: string): string | null =>
    reader.isAbsent({ of, key }) ? null : reader.text({ of, key }, GENERIC);
  return {
    connector_id: reader.text({ of, key: 'connector_id' }, { bytes: 160 }),
    ...readExpectedFields(reader, of),
    server_reported_name: optional('server_reported_name'),
    server_reported_version: optional('server_reported_version'),
    configured_secret_refs: reader.isAbsent({ of, key: 'configured_secret_refs' })
      ? []
      : reader.ids({ of, key: 'configured_secret_refs' }, SECRET_REF),
    discovered_at: readTimestamp(reader, { of, key: 'discovered_at' }),
  };
}

/** Reads the identity that a manifest expects. */
export function readExpectedIdentity(
  reader: FieldReader,
  value: unknown,
  path: string,
): ExpectedConnectorIdentity {
  return readExpectedFields(reader, reader.fields(value, path, EXPECTED_FIELDS));
}

/** Reads a time that is UTC and says so by a `Z`. */
export function readTimestamp(reader: FieldReader, at: Parameters<FieldReader['text']>[0]): string {
  return reader.text(at, {
    bytes: 40,
    isRight: (text) => TIMESTAMP.test(text) && !Number.isNaN(Date.parse(text)),
    expected: 'a time in UTC that ends in Z',
  });
}

function readExpectedFields(
  reader: FieldReader,
  of: Parameters<FieldReader['text']>[0]['of'],
): ExpectedConnectorIdentity {
  const version = reader.isAbsent({ of, key: 'implementation_version' })
    ? null
    : reader.text({ of, key: 'implementation_version' }, GENERIC);
  const sha256 = reader.isAbsent({ of, key: 'implementation_digest' })
    ? null
    : reader.text({ of, key: 'implementation_digest' }, SHA256);
  if (version === null && sha256 === null) {
    // Asking for it as if it were required words the fault.
    reader.text({ of, key: 'implementation_version' }, GENERIC);
  }
  return {
    protocol: reader.text({ of, key: 'protocol' }, PROTOCOL),
    protocol_version: reader.text({ of, key: 'protocol_version' }, GENERIC),
    transport_kind: reader.word({ of, key: 'transport_kind' }, TRANSPORT_KINDS),
    implementation_name: reader.text({ of, key: 'implementation_name' }, GENERIC),
    implementation_version: version,
    implementation_digest: sha256,
  };
}

/** Every kind of transport, for readers of documents. */
export const TRANSPORT_KINDS: readonly ConnectorTransportKind[] = ['stdio', 'http'];

/** How protocols are named. */
export const PROTOCOL = {
  bytes: 64,
  isRight: (text: string): boolean => /^[a-z][a-z0-9.-]*$/u.test(text),
  expected: 'the name of a protocol, such as mcp,',
};

/** A digest in a document. */
export const SHA256 = { bytes: 64, isRight: isSha256, expected: '64 lower-case hex digits,' };

const GENERIC = { bytes: 512 };
const SECRET_REF = {
  isRight: (text: string): boolean => /^[a-z][a-z0-9_]{0,127}$/u.test(text),
  expected: 'the name of a secret: a-z, 0-9 and _',
};
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/u;
const EXPECTED_FIELDS: readonly (keyof ExpectedConnectorIdentity)[] = [
  'protocol',
  'protocol_version',
  'transport_kind',
  'implementation_name',
  'implementation_version',
  'implementation_digest',
];
const IDENTITY_FIELDS = [
  'connector_id',
  ...EXPECTED_FIELDS,
  'server_reported_name',
  'server_reported_version',
  'configured_secret_refs',
  'discovered_at',
];
