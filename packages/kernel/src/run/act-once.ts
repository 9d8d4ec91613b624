import { type ActContext, type Failure, MillforgeError } from '@millforge/contracts';
import {
  idempotencyKey,
  isEffectful,
  needsAdmission,
  operationName,
} from '../store/operation-rules.ts';
import { toPayload } from '../store/payloads.ts';
import { confirmLease } from './confirm-lease.ts';
import type { Live } from './live.ts';
import { plainFailure, type Settled, settledThrow, settledValue } from './settle-act.ts';

/** How one performance ended. */
export type Ended =
  | (Extract<Settled, { kind: 'done' | 'failed' }> & { readonly durationMs: number })
  | Extract<Settled, { kind: 'unavailable' | 'held' }>
  | { readonly kind: 'uncertain'; readonly failure: Failure; readonly isSettled: boolean }
  /** The deadline ended it, and it can have had no effect. */
  | { readonly kind: 'refused' }
  /** The run was told to end at once. */
  | { readonly kind: 'stopped'; readonly isSettled: boolean; readonly isAbsent: boolean };

/** Performs once, and waits for the end no longer than the grace of a stop or a deadline. */
export async function actOnce(live: Live): Promise<Ended> {
  const { parts, request } = live;
  const { clock, control } = parts;
  const { operation } = request;
  const mayHaveEffect = isEffectful(operation);
  parts.reach('before:act');
  const confirming = confirmLease(parts);
  // No wait where none is needed: acts are many.
  if (confirming !== null) await confirming;
  const startedAt = clock.monotonicMs();
  const acting = begin(live);
  parts.unsettled.watch(operationName(parts.claim, operation.key), acting);
  const awaited = await control.untilAbandoned(acting);
  const settled = awaited.kind === 'ended' ? awaited.value : null;
  parts.reach('after:act');
  const durationMs = clock.monotonicMs() - startedAt;
  if (settled === null) {
    giveUp(live, acting);
    if (control.isAborted()) return { kind: 'stopped', isSettled: false, isAbsent: false };
    if (!mayHaveEffect) return { kind: 'refused' };
    return { kind: 'uncertain', failure: TOO_LATE, isSettled: false };
  }
  if (settled.kind === 'done') {
    const { kind, value, after, usage } = settled;
    return { kind, value, after, usage, durationMs };
  }
  if (signalOf(live).aborted) {
    // An act without effect that was told to end has no say in how: the same act is performed on resume.
    if (!mayHaveEffect) {
      return control.closing() !== null
        ? { kind: 'stopped', isSettled: true, isAbsent: true }
        : { kind: 'refused' };
    }
    if (control.isAborted() && settled.kind !== 'failed') {
      return { kind: 'stopped', isSettled: true, isAbsent: settled.kind === 'unavailable' };
    }
  }
  if (settled.kind === 'failed') return { ...settled, durationMs };
  if (settled.kind === 'unavailable') return settled;
  if (settled.kind === 'held') {
    // What was admitted may have cost something: it is too late to ask.
    return needsAdmission(operation)
      ? { kind: 'failed', failure: settled.failure, durationMs }
      : settled;
  }
  return { ...settled, isSettled: true };
}

async function begin(live: Live): Promise<Settled> {
  const { parts, request, generation, row } = live;
  const { operation, act } = request;
  const mayHaveEffect = isEffectful(operation);
  const context: ActContext = {
    signal: signalOf(live),
    // Few receivers take a key, so it is made for those that ask.
    get idempotencyKey() {
      return idempotencyKey(parts.claim, {
        key: operation.key,
        generation: row?.generation ?? generation,
      });
    },
  };
  try {
    const result = await act(context);
    return settledValue(result, mayHaveEffect);
  } catch (error) {
    return settledThrow(error, mayHaveEffect);
  }
}

/** What tells an act to end: a stop waits for those that do something, and not for the answer of a model. */
function signalOf({ parts: { control }, request: { operation } }: Live): AbortSignal {
  return operation.kind === 'model' && !isEffectful(operation)
    ? control.askSignal
    : control.actSignal;
}

/** Keeps what an act that was given up ends with as evidence. */
function giveUp({ parts, request }: Live, acting: Promise<Settled>): void {
  const keep = async (): Promise<void> => {
    const settled = await acting;
    await parts.store.attempts.keepLate(parts.claim, {
      key: request.operation.key,
      outcome: settled.kind,
      payload: settled.kind === 'done' ? settled.value : toPayload(plainFailure(settled.failure)),
    });
  };
  keep().catch((error: unknown) => {
    // The kernel may be closed by then, and there is nobody left to tell.
    if (!MillforgeError.is(error)) throw error;
  });
}

const TOO_LATE: Failure = {
  code: 'deadline',
  message: 'The act went on past the deadline and did not end when it was told to.',
};
