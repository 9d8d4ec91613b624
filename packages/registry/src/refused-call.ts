import {
  deepFreeze,
  type Redactor,
  type ToolErrorCode,
  type ToolStatus,
} from '@millforge/contracts';
import type { BoundNode } from './bind-plan.ts';
import { failedOutcome, isCorrectable, isErrorCode, refusalStatus } from './settle-result.ts';
import type { RefusedCall } from './tool-executor.ts';
import { type CallFacts, traceCall } from './trace-call.ts';

/** A refusal as the checks see it. */
export interface RefusalReason {
  readonly code: ToolErrorCode;
  readonly message: string;
  /** Default by code. */
  readonly status?: ToolStatus;
  /** Whether a tool that asks for no redaction said it. */
  readonly isVerbatim?: boolean;
  /** Whether these are the words of a tool about its arguments. */
  readonly isToolWords?: boolean;
}

/** A refusal with its record; without times, so that a replay makes the same one. */
export function refusedCall(
  facts: CallFacts,
  reason: RefusalReason,
  redactor: Redactor,
): RefusedCall {
  const outcome = failedOutcome({
    code: reason.code,
    status: reason.status ?? refusalStatus(reason.code),
    message: reason.isVerbatim === true ? reason.message : redactor.text(reason.message),
    certainty: 'not_attempted',
  });
  return deepFreeze({
    kind: 'refused',
    outcome,
    trace: traceCall(facts, { outcome, truncatedPaths: [], times: null }, redactor),
    ...(reason.isToolWords === true ? { toolWords: outcome.text } : {}),
    correctable: outcome.status === 'not_executed' && isCorrectable(reason.code),
  });
}

/** A tool's refusal as far as it keeps the contract. */
export function readRefusal(
  { code, message }: { readonly code: unknown; readonly message: unknown },
  bound: BoundNode,
): RefusalReason {
  const isVerbatim = !bound.tool.descriptor.output_policy.redact_secrets;
  return isErrorCode(code) && typeof message === 'string'
    ? { code, message, isVerbatim }
    : { code: 'implementation_error', message: 'The tool refused the call without a reason.' };
}
