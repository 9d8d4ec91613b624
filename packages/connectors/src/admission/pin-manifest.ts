import { MillforgeError } from '@millforge/contracts';
import type { ConnectorDiscoverySnapshot } from '../discovery/discovery-snapshot.ts';
import { identityDigest } from '../identity/connector-identity.ts';
import type { ConnectorAdmissionManifest } from './admission-manifest.ts';
import { recordDigest } from './admission-record.ts';
import type { AdmissionResult } from './admit-connector-tools.ts';

/**
 * Writes into a manifest every digest that its admission came to, so that from then on nothing else is admitted.
 *
 * @throws `connectors/not-admitted` for a result that is not the manifest's.
 */
export function pinManifest(
  manifest: ConnectorAdmissionManifest,
  snapshot: ConnectorDiscoverySnapshot,
  { records }: AdmissionResult,
): ConnectorAdmissionManifest {
  const byName = new Map(records.map((record) => [record.provider_tool_name, record]));
  return {
    ...manifest,
    expected_connector_identity_sha256: identityDigest(snapshot.connector_identity),
    expected_discovery_snapshot_sha256: snapshot.discovery_snapshot_sha256,
    selected_tools: manifest.selected_tools.map((selection) => {
      const record = byName.get(selection.provider_tool_name);
      if (record === undefined) {
        throw new MillforgeError(
          'connectors/not-admitted',
          `${selection.provider_tool_name} was not admitted by that result.`,
        );
      }
      return {
        ...selection,
        expected_raw_tool_sha256: record.raw_tool_sha256,
        expected_descriptor_sha256: record.descriptor_sha256,
        expected_admission_record_sha256: recordDigest(record),
      };
    }),
  };
}
