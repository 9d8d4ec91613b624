import {
  digest,
  type JsonObject,
  type JsonValue,
  type SideEffectCertainty,
  type ToolDescriptor,
  type ToolErrorCode,
  type ToolResult,
  unreachable,
} from '@millforge/contracts';
import type { ConnectorAdmissionBinding } from '../admission/admission-snapshot.ts';
import type { ProviderAnswer, TransportFailure } from './connector-transport.ts';
import { mayRetry } from './may-retry.ts';
import { projectOntoSchema } from './project-onto-schema.ts';

interface Called {
  readonly binding: ConnectorAdmissionBinding;
  readonly descriptor: ToolDescriptor;
  readonly signal: AbortSignal;
  readonly hasKey: boolean;
}

/** What the answer of a server means to a run: what the model reads, and what is known about the effect. */
export function toToolResult(answer: ProviderAnswer, called: Called): ToolResult {
  switch (answer.kind) {
    case 'answered': {
      const data = dataOf(answer, called.descriptor);
      if (answer.isError) {
        // It ran to its end and says that it failed: what it changed before, nobody says.
        const certainty = changesNothing(called) ? 'confirmed_absent' : 'confirmed_complete';
        const text = answer.text === '' ? 'The server says that the call failed.' : answer.text;
        return failed({ code: 'io_error', certainty, text }, called);
      }
      const said = answer.structured === null ? { text: answer.text } : {};
      return { kind: 'done', ...said, data, after: after(called, { response: data }) };
    }
    case 'rejected': {
      const code = answer.reason === 'unknown-tool' ? 'not_found' : 'invalid_arguments';
      const text = `The server did not take the call: ${answer.message}`;
      return failed({ code, certainty: 'confirmed_absent', text }, called);
    }
    case 'failed':
      return failedInTransit(answer, called);
    default:
      return unreachable(answer, 'answer of a server');
  }
}

function failedInTransit(answer: TransportFailure, called: Called): ToolResult {
  const text = `The server gave no answer: ${answer.message}`;
  const stopped = answer.reason === 'stopped' ? stopCode(called.signal) : null;
  if (!answer.sent) {
    return failed({ code: stopped ?? 'io_error', certainty: 'not_attempted', text }, called);
  }
  const isHarmless = changesNothing(called);
  const certainty = isHarmless ? 'confirmed_absent' : 'completion_unknown';
  const code = stopped ?? (isHarmless ? 'io_error' : 'ambiguous_side_effect');
  return failed({ code, certainty, text }, called);
}

function failed(
  end: {
    readonly code: ToolErrorCode;
    readonly certainty: SideEffectCertainty;
    readonly text: string;
  },
  called: Called,
): ToolResult {
  const retries = mayRetry({
    idempotency: called.binding.idempotency,
    certainty: end.certainty,
    hasKey: called.hasKey,
  });
  return { kind: 'failed', ...end, after: after(called, { retries }) };
}

/** What the trail keeps of the server's part; every word here is the operator's or a digest. */
function after(
  { binding, hasKey }: Called,
  end: { readonly response?: JsonObject; readonly retries?: boolean },
): JsonValue {
  return {
    connector_id: binding.connector_id,
    provider_tool_name: binding.provider_tool_name,
    connector_identity_sha256: binding.connector_identity_sha256,
    discovery_snapshot_sha256: binding.discovery_snapshot_sha256,
    admission_record_sha256: binding.admission_record_sha256,
    approval_policy: binding.approval_policy,
    broker_attempted: true,
    drift_decision: 'passed',
    idempotency_key_sent: hasKey,
    response_sha256: end.response === undefined ? null : digest(end.response),
    retry_decision: end.retries === true ? 'retry_allowed' : 'retry_denied',
  };
}

/** Only what the admitted schema has a place for reaches the model as data. */
function dataOf(
  answer: Extract<ProviderAnswer, { kind: 'answered' }>,
  { output_schema: schema }: ToolDescriptor,
): JsonObject {
  const { structured, text } = answer;
  const source: JsonObject = structured ?? { text };
  const wantsText =
    'properties' in schema &&
    Object.hasOwn(schema.properties, 'text') &&
    !Object.hasOwn(source, 'text');
  const projected = projectOntoSchema(wantsText ? { ...source, text } : source, schema);
  return typeof projected === 'object' && projected !== null && !Array.isArray(projected)
    ? (projected as JsonObject)
    : {};
}

function changesNothing({ descriptor }: Called): boolean {
  return descriptor.side_effect_class === 'read_only';
}

function stopCode(signal: AbortSignal): ToolErrorCode {
  const reason: unknown = signal.reason;
  return reason instanceof Error && reason.name === 'TimeoutError' ? 'timeout' : 'cancelled';
}
