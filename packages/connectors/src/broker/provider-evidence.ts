import type { ConnectorAdmissionBinding } from '../admission/admission-snapshot.ts';
import type { ProviderToolDigests } from '../discovery/provider-tool.ts';

/** What a live server shows of one tool, by digests, to be held against what was admitted. */
export interface ProviderToolEvidence extends ProviderToolDigests {
  /** The operator's name of the connector. */
  readonly connector_id: string;
  /** Name by which the server calls it. */
  readonly provider_tool_name: string;
  /** Digest of the server's identity. */
  readonly connector_identity_sha256: string;
  /** Digest of the discovery that this connector was opened with. */
  readonly discovery_snapshot_sha256: string;
}

/** A field in which a live tool is not the admitted one. */
export interface Drift {
  /** The field. */
  readonly binding_field: string;
  /** What was admitted. */
  readonly expected: string;
  /** What the server shows. */
  readonly actual: string;
}

/** The first field in which a live tool is not the one that was admitted, or null. */
export function findDrift(
  admitted: ConnectorAdmissionBinding,
  evidence: ProviderToolEvidence,
): Drift | null {
  for (const field of FIELDS) {
    const expected = admitted[field];
    if (expected === null) continue;
    const actual = evidence[field];
    if (actual !== expected) return { binding_field: field, expected, actual: actual ?? 'none' };
  }
  return null;
}

/** In the order in which they are told: from the connector to the words of the tool. */
const FIELDS = [
  'connector_id',
  'provider_tool_name',
  'connector_identity_sha256',
  'discovery_snapshot_sha256',
  'raw_tool_sha256',
  'input_schema_sha256',
  'output_schema_sha256',
  'provider_description_sha256',
] as const;
