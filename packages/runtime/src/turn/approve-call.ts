import {
  type ApprovalDecision,
  digest,
  type JsonValue,
  type OperationOutcome,
  operationHeld,
  unreachable,
} from '@millforge/contracts';
import type { ApprovalRequest, AsJson, CheckedCall, RefusedCall } from '@millforge/registry';
import type { ApprovalAnswer } from '../approval-provider.ts';
import { headOf } from '../context/cut-results.ts';
import { describeCall } from '../describe-call.ts';
import { endRefused, type RunEnding } from '../run-ending.ts';
import type { Run } from '../run-state.ts';
import type { CallPlace } from './call-place.ts';

/** A call that may go ahead, one that somebody declined, or the end of the run. */
export type ApprovedCall =
  | CheckedCall
  | RefusedCall
  | { readonly kind: 'ending'; readonly ending: RunEnding };

/**
 * Gets the agreement that a call needs. Question and answer are one operation of their own, so that what
 * was decided is decided again by every replay, whoever could be asked by then.
 */
export async function approveCall(
  run: Run,
  place: CallPlace,
  { checked, request }: { readonly checked: CheckedCall; readonly request: ApprovalRequest },
): Promise<ApprovedCall> {
  const describe = run.redact(describeCall(place.tool, checked.input));
  let isAsked = false;
  const outcome = await run.options.operations.perform<AsJson<ApprovalDecision>>(
    {
      key: `approval/${place.turn}/${place.index}`,
      step: place.turn,
      kind: 'read',
      effect: 'none',
      repeat: 'safe',
      metered: false,
      input: request,
      describe: `approve ${describe}`,
    },
    async ({ signal }) => {
      isAsked = true;
      run.observer.emit({ kind: 'approval-requested', ...place, replayed: false, describe });
      const answer = await ask(run, request, { describe, signal });
      signal.throwIfAborted();
      if (answer.kind === 'later') throw held(place, request, describe);
      return { value: decisionOf(run, request, answer) };
    },
  );
  const ending = endingOf(outcome);
  if (ending !== null) {
    const { message } = ending;
    run.observer.emit({
      kind: 'call-refused',
      ...place,
      replayed: outcome.replayed,
      code: 'run_ended',
      message,
    });
    return { kind: 'ending', ending };
  }
  const decision = readDecision(outcome) ?? nobody(run, request, outcome);
  run.observer.emit({
    kind: 'approval-decided',
    ...place,
    replayed: !isAsked,
    decision: decision.decision,
    decidedBy: decision.decided_by,
    reason: run.redact(decision.reason),
  });
  run.observer.rethrow();
  return checked.approve(decision);
}

async function ask(
  run: Run,
  request: ApprovalRequest,
  options: { readonly describe: string; readonly signal: AbortSignal },
): Promise<ApprovalAnswer> {
  if (request.mode === 'hold') return { kind: 'later' };
  const { approvals } = run.options;
  if (approvals === undefined) return declinedBy('nobody', 'there is nobody to ask');
  try {
    const answer = await approvals.request(request, options);
    return isAnswer(answer) ? answer : declinedBy('nobody', 'the answer was none');
  } catch (error) {
    options.signal.throwIfAborted();
    const why = error instanceof Error ? `: ${error.message}` : '';
    return declinedBy('nobody', `asking failed${why}`);
  }
}

function declinedBy(actor: string, reason: string): ApprovalAnswer {
  return { kind: 'declined', actor, reason };
}

/** The type is a promise of the host; anything but a clear yes is a no. */
function isAnswer(answer: ApprovalAnswer | undefined): answer is ApprovalAnswer {
  if (answer?.kind === 'later') return true;
  return (
    (answer?.kind === 'approved' || answer?.kind === 'declined') &&
    typeof answer.actor === 'string' &&
    typeof answer.reason === 'string'
  );
}

function held(place: CallPlace, request: ApprovalRequest, describe: string) {
  return operationHeld({
    code: 'approval-required',
    message: `May this be done: ${describe} (${request.side_effect_class})?`,
    data: {
      for: `tool/${place.turn}/${place.index}`,
      expires_after_seconds: request.expires_after_seconds,
    },
  });
}

function decisionOf(
  run: Run,
  request: ApprovalRequest,
  answer: Exclude<ApprovalAnswer, { kind: 'later' }>,
): AsJson<ApprovalDecision> {
  const now = run.options.clock.now();
  return {
    kind: 'approval_decision',
    schema_version: '1.0',
    request_sha256: digest(request),
    decision: answer.kind,
    decided_by: run.redact(answer.actor),
    reason: headOf(run.redact(answer.reason), MAX_REASON),
    decided_at: new Date(now).toISOString(),
    expires_at: new Date(now + request.expires_after_seconds * 1000).toISOString(),
  };
}

/** A log that could not record an answer leaves the call without one. */
function nobody(
  run: Run,
  request: ApprovalRequest,
  outcome: OperationOutcome<AsJson<ApprovalDecision>>,
): AsJson<ApprovalDecision> {
  return decisionOf(run, request, {
    kind: 'declined',
    actor: 'nobody',
    reason: outcome.kind === 'failed' ? 'nobody can be asked' : 'no answer was recorded',
  });
}

function endingOf(
  outcome: OperationOutcome<AsJson<ApprovalDecision>>,
): (RunEnding & { readonly message: string }) | null {
  switch (outcome.kind) {
    case 'refused': {
      const ending = endRefused(outcome.reason, 'tool_failed');
      return ending === null ? null : { ...ending, message: outcome.reason.message };
    }
    case 'done':
    case 'failed':
      return null;
    default:
      return unreachable(outcome, 'operation outcome');
  }
}

/** What the log gives back, which may come from a person who decided a hold. */
function readDecision(
  outcome: OperationOutcome<AsJson<ApprovalDecision>>,
): AsJson<ApprovalDecision> | null {
  if (outcome.kind !== 'done') return null;
  const value: JsonValue = outcome.value;
  const isWhole =
    typeof value === 'object' &&
    value !== null &&
    FIELDS.every((field) => field in value && typeof Reflect.get(value, field) === 'string');
  return isWhole ? outcome.value : null;
}

const FIELDS = ['request_sha256', 'decision', 'decided_by', 'reason', 'expires_at'];
const MAX_REASON = 500;
