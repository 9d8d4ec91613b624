import type { ConnectorDiscoverySnapshot } from '../discovery/discovery-snapshot.ts';
import type { ConnectorAdmissionManifest } from './admission-manifest.ts';

/**
 * A manifest without its digests and for the server that was discovered, so that what a person has looked at can
 * be admitted and pinned anew.
 */
export function unpinManifest(
  manifest: ConnectorAdmissionManifest,
  { connector_identity: identity }: ConnectorDiscoverySnapshot,
): ConnectorAdmissionManifest {
  return {
    ...manifest,
    expected_identity: {
      protocol: identity.protocol,
      protocol_version: identity.protocol_version,
      transport_kind: identity.transport_kind,
      implementation_name: identity.implementation_name,
      implementation_version: identity.implementation_version,
      implementation_digest: identity.implementation_digest,
    },
    expected_connector_identity_sha256: null,
    expected_discovery_snapshot_sha256: null,
    selected_tools: manifest.selected_tools.map((tool) => ({
      ...tool,
      expected_raw_tool_sha256: null,
      expected_descriptor_sha256: null,
      expected_admission_record_sha256: null,
    })),
  };
}
