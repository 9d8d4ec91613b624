import { type ApprovalDecision, digest } from '@millforge/contracts';
import type { ApprovalRequest } from './approval-request.ts';
import { readField } from './read-field.ts';

/** A question that a call still needs answered, and the answer once there is one. */
export interface OpenApproval {
  readonly request: ApprovalRequest;
  readonly requestSha256: string;
  readonly decision: ApprovalDecision | null;
}

/** Takes a question up; nobody has decided it. */
export function openApproval(request: ApprovalRequest): OpenApproval {
  return { request, requestSha256: digest(request), decision: null };
}

/** A frozen copy of a decision, whose types are a promise of the host; null where it is none. */
export function readDecision(value: unknown): ApprovalDecision | null {
  const decision = readField(value, 'decision');
  if (decision !== 'approved' && decision !== 'declined') return null;
  const fields = TEXTS.map((name) => readField(value, name));
  if (!fields.every((field) => typeof field === 'string')) return null;
  const [request_sha256 = '', decided_by = '', reason = '', expires_at = ''] = fields;
  const at = readField(value, 'decided_at');
  const decided_at = typeof at === 'string' ? at : '';
  const kinds = { kind: 'approval_decision', schema_version: '1.0' } as const;
  const texts = { request_sha256, decided_by, reason, decided_at, expires_at };
  return Object.freeze({ ...kinds, decision, ...texts });
}

/** Why a decision does not approve this call, or null; whether it is still good is for the live call. */
export function decisionFault(
  { request, requestSha256 }: OpenApproval,
  decision: ApprovalDecision | null,
): string | null {
  const name = request.tool_name;
  if (decision === null) {
    return `The decision about ${name} is none that can be read; do without it.`;
  }
  if (decision.request_sha256 !== requestSha256) {
    return `The approval that was given for ${name} is for another call; do without it.`;
  }
  if (decision.decision === 'approved') return null;
  const reason = decision.reason.trim().replace(/[.]$/, '');
  const why = reason === '' ? '' : `: ${reason}`;
  return `${decision.decided_by} declined ${name}${why}. Do without it.`;
}

/** Why a call may not begin now although its checks passed, or null. */
export function approvalFault(
  approval: OpenApproval | null,
  live: { readonly now: number; readonly used: ReadonlySet<string> },
): string | null {
  if (approval === null) return null;
  const { decision, request, requestSha256 } = approval;
  const name = request.tool_name;
  if (decision === null) return `${name} needs approval, and nobody gave it.`;
  if (live.used.has(requestSha256)) return `The approval of ${name} was used already.`;
  // A date that cannot be read is never in the future.
  if (live.now < Date.parse(decision.expires_at)) return null;
  return `The approval of ${name} has expired; call it again to ask again.`;
}

const TEXTS = ['request_sha256', 'decided_by', 'reason', 'expires_at'];
