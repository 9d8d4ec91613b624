import { type FailureClass, MillforgeError, unreachable } from '@millforge/contracts';
import { isInDoubt } from '../store/attempt-rules.ts';
import type { Suspension } from '../store/end-attempt.ts';
import { type Payload, toPayload } from '../store/payloads.ts';
import type { VerdictIssuer } from '../verified-result.ts';
import type { DurableLog } from './durable-log.ts';
import { holdDivergence } from './hold-divergence.ts';
import type { LogParts } from './log-parts.ts';
import type { Closing } from './run-control.ts';
import type { AttemptRequest, RunParts } from './run-parts.ts';
import { failureOf } from './settle-act.ts';
import { suspendReason } from './suspended-by.ts';

/** How the program came to its end, if it did. */
export type Ended =
  | { readonly kind: 'returned'; readonly output: unknown }
  | { readonly kind: 'threw'; readonly error: unknown }
  /** It was told to end and did not within the grace. */
  | { readonly kind: 'given-up' }
  /** Its lease was lost, or it was told to end, before its callback was entered. */
  | { readonly kind: 'not-begun' };

/** What an attempt is settled with. */
export interface Ending {
  readonly parts: LogParts;
  readonly run: RunParts;
  readonly attempt: AttemptRequest;
  readonly log: DurableLog;
  readonly verdicts: VerdictIssuer;
}

/** Settles an attempt by how its program ended and by what closed the log. */
export async function settleAttempt(ending: Ending, ended: Ended): Promise<boolean> {
  const { parts, log } = ending;
  const { control } = parts;
  const fault = control.fault();
  if (fault !== null) throw fault.error;
  const closing = control.closing();
  if (closing !== null) return endClosed(ending, closing, ended);
  const difference = log.endDifference();
  if (difference !== null) {
    if (!(await unlessCancelled(holdDivergence(parts, difference)))) return false;
    await suspend(ending, { reason: 'held', failure: null });
    return false;
  }
  return endOpen(ending, ended);
}

/** Settles by what the program did itself. */
async function endOpen(ending: Ending, ended: Ended): Promise<boolean> {
  const { parts } = ending;
  switch (ended.kind) {
    case 'returned':
      return recordOutput(ending, ended.output);
    case 'given-up':
      return fail(ending, {
        code: 'timeout',
        message: 'The time of the attempt was used up, and its program did not end.',
        isClean: false,
        isSettled: false,
      });
    case 'threw': {
      const { code, message } = failureOf(ended.error);
      const isOurs = MillforgeError.is(ended.error);
      return fail(ending, {
        code: isOurs ? code : 'adapter-threw',
        message: parts.redactor.text(message),
        isClean: MillforgeError.is(ended.error, 'operation/failed'),
        isSettled: true,
      });
    }
    case 'not-begun':
      await suspend(ending, { reason: 'stopped', failure: null });
      return false;
    default:
      return unreachable(ended, 'end');
  }
}

async function endClosed(ending: Ending, closing: Closing, ended: Ended): Promise<boolean> {
  const { parts } = ending;
  switch (closing.reason) {
    case 'cancelled':
    case 'lease-lost':
      // What came too late is evidence, and changes nothing.
      if (ended.kind === 'returned') {
        const payload = outputOf(ended.output);
        if (payload !== null) {
          await parts.store.attempts.keepLate(parts.claim, { key: null, outcome: 'done', payload });
        }
      }
      if (closing.reason === 'cancelled') return false;
      throw leaseLost();
    case 'stopped':
    case 'unavailable':
    case 'held':
      // A whole callback cannot be taken up in its middle: it came to an end, or nobody knows.
      if (isInDoubt(ending.attempt.task) && ended.kind !== 'not-begun') {
        await endOpen(ending, ended);
        return false;
      }
      await suspend(ending, closing);
      return false;
    default:
      return unreachable(closing.reason, 'reason');
  }
}

async function suspend({ parts, attempt }: Ending, closing: Closing): Promise<void> {
  await unlessCancelled(
    parts.store.attempts.suspend(parts.claim, {
      suspension: suspensionOf(parts, closing),
      contract: attempt.contract,
      elapsedMs: parts.control.elapsedMs(),
    }),
  );
}

/** Tells whether a last write came in time: false when the goal was cancelled before. */
async function unlessCancelled(
  write: Promise<void>,
  keepLate?: () => Promise<void>,
): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (!MillforgeError.is(error, 'operation/suspended')) throw error;
    await keepLate?.();
    if (suspendReason(error) === 'lease-lost') throw leaseLost();
    return false;
  }
}

function leaseLost(): MillforgeError {
  return new MillforgeError(
    'kernel/lease-lost',
    'Another process took this goal over while this one was silent; it goes on there.',
  );
}

function suspensionOf({ redactor }: LogParts, { reason, failure, kind }: Closing): Suspension {
  const by = reason === 'unavailable' || reason === 'held' ? reason : 'stopped';
  return {
    by,
    failureClass: by === 'unavailable' ? UNAVAILABLE[kind ?? 'model'] : null,
    code: failure?.code ?? null,
    message: failure === null ? null : redactor.text(failure.message),
  };
}

/** Why an attempt did not come to an output. */
interface Miss {
  readonly code: string;
  readonly message: string;
  /** Whether its adapter knows that nothing happened which is not recorded. */
  readonly isClean: boolean;
  /** Whether its callback has ended. */
  readonly isSettled: boolean;
}

async function fail({ parts, attempt }: Ending, failure: Miss): Promise<boolean> {
  const { contract, task } = attempt;
  return unlessCancelled(
    parts.store.attempts.fail(parts.claim, {
      failure,
      task,
      contract,
      elapsedMs: parts.control.elapsedMs(),
    }),
  );
}

async function recordOutput(ending: Ending, value: unknown): Promise<boolean> {
  const { parts, attempt, log, run, verdicts } = ending;
  const { claim, control, store } = parts;
  const { contract, task } = attempt;
  const payload = outputOf(value);
  const verdict = verdicts.verdictOf(value);
  if (payload === null) {
    return fail(ending, {
      code: 'output-invalid',
      message: 'The output is not JSON, or larger than 1 MiB.',
      isClean: false,
      isSettled: true,
    });
  }
  if (task.adapter.kind === 'verify' && verdict === null) {
    return fail(ending, {
      code: 'verdict-invalid',
      message: 'What the verify adapter returned is no verdict of this attempt.',
      isClean: false,
      isSettled: true,
    });
  }
  return unlessCancelled(
    store.attempts.record(claim, {
      output: {
        payload,
        verdict: task.adapter.kind === 'verify' ? verdict : null,
        receiptId: run.ids.newId('receipt'),
      },
      contract,
      task,
      admittedAt: attempt.admittedAt,
      elapsedMs: control.elapsedMs(),
      notes: log.takeNotes(),
    }),
    () => store.attempts.keepLate(claim, { key: null, outcome: 'done', payload }),
  );
}

/** The canonical bytes of an output; null when it is no JSON, or too large. */
export function outputOf(value: unknown): Payload | null {
  if (value === undefined || value === null) return value === null ? toPayload(null) : null;
  try {
    const payload = toPayload(value);
    return payload.text.length <= MAX_OUTPUT_BYTES ? payload : null;
  } catch {
    // What the encoder refuses is no JSON, and reading a foreign object may throw whatever it likes.
    return null;
  }
}

const UNAVAILABLE = {
  model: 'model_unavailable',
  tool: 'tool_failed',
  read: 'tool_failed',
} as const satisfies { readonly [kind: string]: FailureClass };
const MAX_OUTPUT_BYTES = 1_048_576;
