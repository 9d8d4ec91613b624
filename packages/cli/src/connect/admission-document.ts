import { isDeepStrictEqual } from 'node:util';
import {
  type AdmissionResult,
  admitConnectorTools,
  type ConnectorDiscoverySnapshot,
  createAdmissionSnapshot,
  readDiscoverySnapshot,
} from '@millforge/connectors';
import type { JsonValue } from '@millforge/contracts';
import { documentError, usageError } from '../cli-error.ts';
import type { ConnectorFolder } from './connector-folder.ts';
import { good } from './good.ts';

/** What was admitted, with everything that it was made of: what it says can be made again and compared. */
export interface AdmissionDocument {
  /** Type of this document. */
  readonly kind: 'connector_admission';
  /** Version of this document. */
  readonly schema_version: '1.0';
  /** Digest of all that is admitted. */
  readonly admission_snapshot_sha256: string;
  /** What each kind of model server is told of the arguments of each tool, and what that leaves out. */
  readonly provider_forms: AdmissionResult['forms'];
  /** The discovery that it was admitted from. */
  readonly discovery: JsonValue | object;
  /** The manifest by which it was admitted. */
  readonly manifest: JsonValue | object;
  /** The policy under which it was admitted. */
  readonly policy: JsonValue | object;
}

/** An admission that was read, and made again. */
export interface Admitted {
  readonly result: AdmissionResult;
  readonly discovery: ConnectorDiscoverySnapshot;
  readonly manifest: JsonValue;
  readonly sha256: string;
}

/** Makes the document of an admission. */
export function admissionDocument(
  from: Pick<AdmissionDocument, 'discovery' | 'manifest' | 'policy'>,
  result: AdmissionResult,
): AdmissionDocument {
  return {
    kind: 'connector_admission',
    schema_version: '1.0',
    admission_snapshot_sha256: createAdmissionSnapshot(result.records, result.descriptors)
      .snapshotSha256,
    provider_forms: result.forms,
    ...from,
  };
}

/**
 * Reads what was admitted. Descriptors and records are made again from the documents, never taken from a
 * file, and have to come to the digest that the file names.
 *
 * @throws `cli/document` for a file that does not say what it was made of.
 */
export async function readAdmission(folder: ConnectorFolder): Promise<Admitted> {
  const path = folder.path('admission.json');
  if (!(await folder.has('admission.json'))) {
    throw usageError(
      `Nothing of ${folder.name} is admitted, there is no ${path}; 'millforge connect admit ${folder.name}' makes it.`,
    );
  }
  const value = await folder.read('admission.json');
  if (typeof value !== 'object' || value === null || !('discovery' in value)) {
    throw documentError(`${path} is no admission; 'millforge connect admit' makes one.`);
  }
  const { kind, schema_version: version, discovery, manifest = null, policy } = value;
  if (kind !== 'connector_admission' || version !== '1.0') {
    throw documentError(`${path} is of a kind or a version that is not known.`);
  }
  const result = admitConnectorTools({ snapshot: discovery, manifest, policy });
  const [first] = result.diagnostics;
  if (first !== undefined) throw documentError(`${path} admits nothing: ${first.message}`);
  const { snapshotSha256: sha256 } = createAdmissionSnapshot(result.records, result.descriptors);
  const isSame =
    sha256 === value['admission_snapshot_sha256'] &&
    isDeepStrictEqual(value['provider_forms'], JSON.parse(JSON.stringify(result.forms)));
  if (!isSame) {
    throw documentError(
      `${path} was changed after it was made; 'millforge connect admit' makes it anew.`,
    );
  }
  return { result, discovery: good(readDiscoverySnapshot(discovery), path), manifest, sha256 };
}
