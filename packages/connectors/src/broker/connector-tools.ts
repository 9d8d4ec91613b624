import {
  descriptorDigest,
  type JsonObject,
  type LiveToolContext,
  MillforgeError,
  type PreparedTool,
  type Tool,
  type ToolDescriptor,
  type ToolRefusal,
  type ToolResult,
  type ToolRunContext,
} from '@millforge/contracts';
import type {
  ConnectorAdmissionBinding,
  ConnectorAdmissionSnapshot,
} from '../admission/admission-snapshot.ts';
import { toToolApproval } from '../admission/approval-policy-name.ts';
import type { EvidenceLook } from './brokered-connector.ts';
import type { ConnectorBroker } from './connector-broker.ts';
import { createLogicalAttempts, type LogicalAttempts } from './logical-attempts.ts';
import { findDrift } from './provider-evidence.ts';
import { toToolResult } from './to-tool-result.ts';

/** What connector tools are made of. */
export interface ConnectorToolsOptions {
  /** What is admitted. */
  readonly admission: ConnectorAdmissionSnapshot;
  /** What the admitted tools are. */
  readonly descriptors: readonly ToolDescriptor[];
  /** Who speaks with the servers. */
  readonly broker: ConnectorBroker;
}

/**
 * Makes tools of what was admitted, for any registry. Before each call the server is held against what was
 * admitted; a call is never repeated here.
 *
 * @throws `connectors/not-admitted` for a descriptor without a record, `connectors/unknown-connector` for a
 * record whose connector the broker does not speak for.
 */
export function createConnectorTools(options: ConnectorToolsOptions): readonly Tool[] {
  const { admission, broker } = options;
  const attempts = createLogicalAttempts();
  return options.descriptors.map((descriptor): Tool => {
    const { tool_id: id, tool_version: version } = descriptor;
    const binding = admission.resolve(id, version, descriptorDigest(descriptor));
    if (binding === null) {
      throw new MillforgeError('connectors/not-admitted', `${id}@${version} is not admitted.`);
    }
    if (!broker.hasConnector(binding.connector_id)) {
      throw new MillforgeError(
        'connectors/unknown-connector',
        `${id}@${version} belongs to the connector ${binding.connector_id}, which the broker does not have.`,
      );
    }
    const parts: Parts = { binding, descriptor, broker, attempts };
    return Object.freeze({
      descriptor,
      origin: 'connector',
      approval: toToolApproval(binding.approval_policy),
      implementation: { prepare: (input, context) => prepare(parts, input, context) },
    } satisfies Tool);
  });
}

interface Parts {
  readonly binding: ConnectorAdmissionBinding;
  readonly descriptor: ToolDescriptor;
  readonly broker: ConnectorBroker;
  readonly attempts: LogicalAttempts;
}

async function prepare(
  parts: Parts,
  input: JsonObject,
  { signal }: LiveToolContext,
): Promise<PreparedTool | ToolRefusal> {
  const { binding, broker } = parts;
  const { connector_id: connectorId, provider_tool_name: name } = binding;
  const look = await broker.look(connectorId, name, { signal });
  if (look.kind === 'missing') {
    return refusal('not_found', `The server of ${connectorId} has no tool ${name}.`);
  }
  if (look.kind === 'unreachable') {
    return refusal('io_error', `The server of ${connectorId} cannot be reached: ${look.message}`);
  }
  const drift = findDrift(binding, look.evidence);
  if (drift !== null) {
    return refusal(
      'binding_mismatch',
      `The tool ${name} of ${connectorId} is not the one that was admitted: ${drift.binding_field} differs. A person has to look at the change and admit it anew.`,
    );
  }
  return {
    kind: 'prepared',
    before: { ...look.evidence, drift_decision: 'passed' },
    run: (context) => run(parts, { input, look }, context),
  };
}

async function run(
  { binding, descriptor, broker, attempts }: Parts,
  call: { readonly input: JsonObject; readonly look: Extract<EvidenceLook, { kind: 'present' }> },
  context: ToolRunContext,
): Promise<ToolResult> {
  const { runId, callId, signal, onUpdate } = context;
  const logical = {
    runId,
    node: `${binding.tool_id}@${binding.tool_version}`,
    arguments: call.input,
    attempt: context.idempotencyKey,
  };
  const key = binding.idempotency_key_policy === null ? null : attempts.keyFor(logical);
  const answer = await broker.invoke(
    {
      connector_id: binding.connector_id,
      provider_tool_name: binding.provider_tool_name,
      tool_id: binding.tool_id,
      tool_version: binding.tool_version,
      descriptor_sha256: binding.descriptor_sha256,
      connector_identity_sha256: binding.connector_identity_sha256,
      discovery_snapshot_sha256: binding.discovery_snapshot_sha256,
      raw_tool_sha256: binding.raw_tool_sha256,
      arguments: call.input,
      run_id: runId,
      call_id: callId,
      timeout_seconds: binding.timeout_policy.timeout_seconds,
      idempotency_key: key,
    },
    {
      signal,
      generation: call.look.generation,
      ...(onUpdate === undefined ? {} : { onProgress: onUpdate }),
    },
  );
  const result = toToolResult(answer, { binding, descriptor, signal, hasKey: key !== null });
  if (key !== null) {
    attempts.settle(logical, result.kind === 'done' || result.certainty !== 'completion_unknown');
  }
  return result;
}

function refusal(code: ToolRefusal['code'], message: string): ToolRefusal {
  return { kind: 'refused', code, message };
}
