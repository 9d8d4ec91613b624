import {
  digest,
  type FailureClass,
  type JsonValue,
  MillforgeError,
  unreachable,
} from '@millforge/contracts';
import { bindingSha256 } from '../store/admit-goal.ts';
import {
  failAttempt,
  recordResult,
  type Suspension,
  suspendAttempt,
} from '../store/end-attempt.ts';
import { type Payload, toPayload } from '../store/payloads.ts';
import type { DurableLog } from './durable-log.ts';
import { holdDivergence } from './hold-divergence.ts';
import type { LogParts } from './log-parts.ts';
import { refuseResult } from './refuse-result.ts';
import type { Closing } from './run-control.ts';
import type { AttemptRequest, RunParts } from './run-parts.ts';
import { failureOf } from './settle-act.ts';
import { suspendReason } from './suspended-by.ts';

/** How the program came to its end, if it did. */
export type Ended =
  | { readonly kind: 'returned'; readonly output: JsonValue }
  | { readonly kind: 'threw'; readonly error: unknown }
  /** It was told to end and did not within the grace. */
  | { readonly kind: 'given-up' };

/** What an attempt is settled with. */
export interface Ending {
  readonly parts: LogParts;
  readonly run: RunParts;
  readonly attempt: AttemptRequest;
  readonly log: DurableLog;
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
    await holdDivergence(parts, difference);
    await suspend(ending, { reason: 'held', failure: null });
    return false;
  }
  switch (ended.kind) {
    case 'returned':
      return recordOutput(ending, ended.output);
    case 'given-up':
      return fail(ending, {
        code: 'timeout',
        message: 'The time of the attempt was used up, and its program did not end.',
      });
    case 'threw': {
      const { code, message } = failureOf(ended.error);
      const isOurs = MillforgeError.is(ended.error);
      return fail(ending, {
        code: isOurs ? code : 'adapter-threw',
        message: parts.redactor.text(message),
      });
    }
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
          await refuseResult(parts, { key: null, outcome: 'done', payload });
        }
      }
      if (closing.reason === 'cancelled') return false;
      throw leaseLost();
    case 'stopped':
    case 'unavailable':
    case 'held':
      await suspend(ending, closing);
      return false;
    default:
      return unreachable(closing.reason, 'reason');
  }
}

async function suspend({ parts }: Ending, closing: Closing): Promise<void> {
  const { claim, clock, control, db } = parts;
  const suspension = suspensionOf(parts, closing);
  const elapsedMs = control.elapsedMs();
  await unlessCancelled(
    db.write('suspend-attempt', (tx) =>
      suspendAttempt(tx, claim, { suspension, elapsedMs, now: clock.now() }),
    ),
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

async function fail(
  { parts, attempt }: Ending,
  failure: { readonly code: string; readonly message: string },
): Promise<boolean> {
  const { claim, clock, control, db } = parts;
  const elapsedMs = control.elapsedMs();
  const maxAttempts = attempt.task.max_attempts;
  return unlessCancelled(
    db.write('fail-attempt', (tx) =>
      failAttempt(tx, claim, { ...failure, elapsedMs, maxAttempts, now: clock.now() }),
    ),
  );
}

async function recordOutput(ending: Ending, value: JsonValue): Promise<boolean> {
  const { parts, attempt, log, run } = ending;
  const { claim, clock, control, db } = parts;
  const output = outputOf(value);
  if (output === null) {
    return fail(ending, {
      code: 'output-invalid',
      message: 'The output is not JSON, or larger than 1 MiB.',
    });
  }
  const { contract, task } = attempt;
  const notes = log.takeNotes();
  const elapsedMs = control.elapsedMs();
  const receiptId = run.ids.newId('receipt');
  return unlessCancelled(
    db.write('record-result', (tx) =>
      recordResult(tx, claim, {
        output,
        bindingSha256: bindingSha256(task.adapter),
        inputSha256: digest(contract.inputs),
        receiptId,
        admittedAt: attempt.admittedAt,
        elapsedMs,
        notes,
        now: clock.now(),
      }),
    ),
    () => refuseResult(parts, { key: null, outcome: 'done', payload: output }),
  );
}

function outputOf(value: JsonValue): Payload | null {
  try {
    const payload = toPayload(value);
    return payload.text.length <= MAX_OUTPUT_BYTES ? payload : null;
  } catch (error) {
    if (MillforgeError.is(error)) return null;
    throw error;
  }
}

const UNAVAILABLE = {
  model: 'model_unavailable',
  tool: 'tool_failed',
  read: 'tool_failed',
} as const satisfies { readonly [kind: string]: FailureClass };
const MAX_OUTPUT_BYTES = 1_048_576;
