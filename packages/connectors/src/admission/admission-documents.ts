import type { ConnectorDiscoverySnapshot } from '../discovery/discovery-snapshot.ts';
import type { ConnectorAdmissionManifest } from './admission-manifest.ts';
import type { AdmissionPolicy } from './admission-policy.ts';

/** The documents of an admission, read. */
export interface AdmissionDocuments {
  readonly snapshot: ConnectorDiscoverySnapshot;
  readonly manifest: ConnectorAdmissionManifest;
  readonly policy: AdmissionPolicy;
}
