import {
  digest,
  type Idempotency,
  type JsonValue,
  type SideEffectClass,
  type ToolDescriptor,
  type ToolOutputPolicy,
  type ToolTimeoutPolicy,
} from '@millforge/contracts';
import type { ConnectorDiscoverySnapshot } from '../discovery/discovery-snapshot.ts';
import type { DiscoveredProviderTool } from '../discovery/provider-tool.ts';
import { providerToolDigests } from '../discovery/provider-tool.ts';
import { identityDigest } from '../identity/connector-identity.ts';
import type { ConnectorToolSelection } from './admission-manifest.ts';
import type { ConnectorApproval } from './approval-word.ts';

/** What was admitted, of which server, as what: the provenance of one tool. */
export interface ConnectorAdmissionRecord {
  /** The operator's name of the connector. */
  readonly connector_id: string;
  /** Name by which the server calls it. */
  readonly provider_tool_name: string;
  /** Digest of the server's identity. */
  readonly connector_identity_sha256: string;
  /** Digest of the discovery that it was admitted from. */
  readonly discovery_snapshot_sha256: string;
  /** Digest of everything that the server said about the tool. */
  readonly raw_tool_sha256: string;
  /** Digest of the server's input schema, also where another was admitted. */
  readonly input_schema_sha256: string | null;
  /** Digest of the server's output schema; null where it gave none. */
  readonly output_schema_sha256: string | null;
  /** Digest of the server's description. */
  readonly provider_description_sha256: string | null;
  /** Digest of the descriptor that was made of it. */
  readonly descriptor_sha256: string;
  /** Capabilities that a caller must hold, sorted. */
  readonly required_capabilities: readonly string[];
  /** The strongest thing a call may do. */
  readonly side_effect_class: SideEffectClass;
  /** Whether a call may be repeated. */
  readonly idempotency: Idempotency;
  /** Time limits of one call. */
  readonly timeout_policy: ToolTimeoutPolicy;
  /** Size limits of one result. */
  readonly output_policy: ToolOutputPolicy;
  /** `call_id` where the server is sent a key by which it knows a repeated call; else null. */
  readonly idempotency_key_policy: 'call_id' | null;
  /** Who has to agree to a call. */
  readonly approval_policy: ConnectorApproval;
}

/** Writes down what was admitted. */
export function createAdmissionRecord(
  selection: ConnectorToolSelection,
  from: { readonly snapshot: ConnectorDiscoverySnapshot; readonly tool: DiscoveredProviderTool },
  made: { readonly descriptor: ToolDescriptor; readonly descriptorSha256: string },
): ConnectorAdmissionRecord {
  const { snapshot, tool } = from;
  const { descriptor } = made;
  return {
    connector_id: snapshot.connector_identity.connector_id,
    provider_tool_name: tool.provider_tool_name,
    connector_identity_sha256: identityDigest(snapshot.connector_identity),
    discovery_snapshot_sha256: snapshot.discovery_snapshot_sha256,
    ...providerToolDigests(tool),
    descriptor_sha256: made.descriptorSha256,
    required_capabilities: descriptor.required_capabilities,
    side_effect_class: descriptor.side_effect_class,
    idempotency: descriptor.idempotency,
    timeout_policy: descriptor.timeout_policy,
    output_policy: descriptor.output_policy,
    idempotency_key_policy: keyPolicyOf(descriptor.idempotency),
    approval_policy: selection.approval_policy,
  };
}

/** Digest of a record. */
export function recordDigest(record: ConnectorAdmissionRecord): string {
  // An interface has no index signature; the encoder refuses whatever is not JSON.
  const fields = { ...record } as object as { readonly [key: string]: JsonValue };
  return digest({ kind: 'millforge.connector.admission_record.v1', ...fields });
}

/** Which tools are sent a key. */
export function keyPolicyOf(idempotency: Idempotency): 'call_id' | null {
  return idempotency === 'idempotent_with_key' ? 'call_id' : null;
}
