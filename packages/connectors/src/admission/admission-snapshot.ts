import {
  canonicalJson,
  deepFreeze,
  descriptorDigest,
  digest,
  type JsonValue,
  MillforgeError,
  type ToolDescriptor,
} from '@millforge/contracts';
import { type ConnectorAdmissionRecord, keyPolicyOf, recordDigest } from './admission-record.ts';

/** A tool and the record of its admission, tied together. */
export interface ConnectorAdmissionBinding extends ConnectorAdmissionRecord {
  /** Dotted id of the tool. */
  readonly tool_id: string;
  /** Its version. */
  readonly tool_version: number;
  /** Digest of the record. */
  readonly admission_record_sha256: string;
}

/** What is admitted, frozen; the only place where a run looks for a connector's tool. */
export interface ConnectorAdmissionSnapshot {
  /** Every binding, by id, version and digest. */
  readonly bindings: readonly ConnectorAdmissionBinding[];
  /** Digest of all bindings; the order of the records is not in it. */
  readonly snapshotSha256: string;
  /** The binding of exactly that tool, or null. */
  resolve(
    toolId: string,
    toolVersion: number,
    descriptorSha256: string,
  ): ConnectorAdmissionBinding | null;
}

/** Why records cannot be tied to descriptors; stands in `details.reason`. */
export type AdmissionSnapshotFault =
  | 'stale'
  | 'non-connector'
  | 'duplicate'
  | 'descriptor-inconsistent'
  | 'duplicate-descriptor';

/**
 * Ties records of admission to the descriptors that a program will register.
 *
 * @throws `connectors/admission-invalid` with `details.reason`.
 */
export function createAdmissionSnapshot(
  records: readonly ConnectorAdmissionRecord[],
  descriptors: readonly ToolDescriptor[],
): ConnectorAdmissionSnapshot {
  const byDigest = new Map(descriptors.map((one) => [descriptorDigest(one), one]));
  if (byDigest.size !== descriptors.length) {
    throw invalid('duplicate-descriptor', 'Two descriptors are the same.');
  }
  const bindings = new Map<string, ConnectorAdmissionBinding>();
  for (const record of records) {
    const descriptor = byDigest.get(record.descriptor_sha256);
    if (descriptor === undefined) {
      throw invalid(
        'stale',
        `The record of ${record.provider_tool_name} names no descriptor here.`,
      );
    }
    const binding = bind(record, descriptor);
    const key = keyOf(binding.tool_id, binding.tool_version, binding.descriptor_sha256);
    if (bindings.has(key)) {
      throw invalid('duplicate', `${binding.tool_id} is admitted twice.`);
    }
    bindings.set(key, binding);
  }
  const sorted = [...bindings].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
  const snapshotSha256 = digest({
    kind: 'millforge.connector.admission_snapshot.v1',
    // Bindings are JSON by their types, but interfaces have no index signature.
    bindings: sorted as object as JsonValue,
  });
  return Object.freeze({
    bindings: deepFreeze(sorted),
    snapshotSha256,
    resolve: (toolId: string, toolVersion: number, descriptorSha256: string) =>
      bindings.get(keyOf(toolId, toolVersion, descriptorSha256)) ?? null,
  });
}

function bind(
  record: ConnectorAdmissionRecord,
  descriptor: ToolDescriptor,
): ConnectorAdmissionBinding {
  if (!descriptor.tool_id.startsWith('connector.')) {
    throw invalid('non-connector', `${descriptor.tool_id} is not the id of a connector's tool.`);
  }
  const promised = {
    required_capabilities: descriptor.required_capabilities,
    side_effect_class: descriptor.side_effect_class,
    idempotency: descriptor.idempotency,
    timeout_policy: descriptor.timeout_policy,
    output_policy: descriptor.output_policy,
    idempotency_key_policy: keyPolicyOf(descriptor.idempotency),
  };
  for (const [field, value] of Object.entries(promised)) {
    const recorded = record[field as keyof typeof promised];
    if (
      canonicalJson(recorded as object as JsonValue) === canonicalJson(value as object as JsonValue)
    )
      continue;
    throw invalid(
      'descriptor-inconsistent',
      `The record of ${descriptor.tool_id} says another ${field} than its descriptor.`,
      field,
    );
  }
  return deepFreeze({
    tool_id: descriptor.tool_id,
    tool_version: descriptor.tool_version,
    ...structuredClone(record),
    admission_record_sha256: recordDigest(record),
  });
}

/** Padded, so that keys sort as versions do. */
function keyOf(toolId: string, toolVersion: number, descriptorSha256: string): string {
  return `${toolId}\n${String(toolVersion).padStart(10, '0')}\n${descriptorSha256}`;
}

function invalid(reason: AdmissionSnapshotFault, message: string, field?: string): MillforgeError {
  const details = field === undefined ? { reason } : { reason, field };
  return new MillforgeError('connectors/admission-invalid', message, { details });
}
