import {
  type Failure,
  type JsonObject,
  type JsonValue,
  MillforgeError,
  type OperationOutcome,
  operationSuspended,
  type Usage,
  unreachable,
} from '@millforge/contracts';
import type { BudgetQuestion, SpentLimit } from '../store/observed-usage.ts';
import type { OperationRow } from '../store/operation-row.ts';
import { isEffectful, needsAdmission } from '../store/operation-rules.ts';
import { type Payload, toPayload } from '../store/payloads.ts';
import { EFFECTS } from '../store/read-column.ts';
import { actOnce } from './act-once.ts';
import { confirmLease } from './confirm-lease.ts';
import { holdAmbiguous } from './hold-ambiguous.ts';
import { holdApproval } from './hold-approval.ts';
import { type Live, type LiveRequest, writeOf } from './live.ts';
import type { LogParts } from './log-parts.ts';
import { MAX_DOUBTS, resolveDoubt } from './resolve-doubt.ts';
import { failureOf, plainFailure, readFailure } from './settle-act.ts';
import { suspendedBy } from './suspended-by.ts';

/** Performs an operation until it has an outcome, a person must be asked, or the run ends. */
export async function performLive(
  parts: LogParts,
  request: LiveRequest,
): Promise<OperationOutcome> {
  const live: Live = {
    parts,
    request,
    describe: parts.redactor.text(request.operation.describe),
    row: request.row,
    generation: generationOf(request.row),
  };
  // Whoever lets it be repeated lets it be repeated once.
  let doubts = request.row?.may_repeat === true ? MAX_DOUBTS - 1 : 0;
  let failure: Failure | null = null;
  let isOpen = request.row !== null && request.row.state !== 'recorded';
  for (;;) {
    let mayHaveHappened = false;
    let facts: JsonObject | undefined;
    if (isOpen) {
      const answer = await resolveDoubt(live, { doubts, failure });
      if (answer.kind === 'happened') {
        return await record(live, { kind: 'done', payload: answer.value, found: answer.found });
      }
      if (answer.kind === 'held') return held(live);
      ({ mayHaveHappened, facts } = answer);
    }
    const closing = parts.control.closing();
    if (closing !== null && isOpen) throw suspendedBy(closing);
    if (EFFECTS.indexOf(request.operation.effect) > EFFECTS.indexOf(parts.taskEffect)) {
      return await record(live, { kind: 'refused', payload: NOT_ALLOWED });
    }
    if (parts.control.isPastDeadline()) {
      if (!mayHaveHappened) return await record(live, { kind: 'refused', payload: DEADLINE });
      await holdAmbiguous(live, {
        failure: readFailure(JSON.parse(DEADLINE.text)),
        former: null,
        tries: doubts,
      });
      return held(live);
    }
    const looked = request.operation.before === undefined ? NOTHING : await lookBefore(live);
    if (looked.kind === 'ended') {
      if (!mayHaveHappened) return await record(live, looked.outcome);
      const why = readFailure(JSON.parse(looked.outcome.payload.text));
      await holdAmbiguous(live, { failure: why, former: null, tries: doubts });
      return held(live);
    }
    const spent = await admit(live, looked.before, facts);
    if (spent !== null) {
      if (!mayHaveHappened) return await record(live, { kind: 'refused', payload: spent });
      await holdAmbiguous(live, {
        failure: readFailure(JSON.parse(spent.text)),
        former: null,
        tries: doubts,
      });
      return held(live);
    }
    const settled = await actOnce(live);
    switch (settled.kind) {
      case 'done':
        return await record(live, {
          kind: 'done',
          payload: settled.value,
          before: looked.before,
          after: settled.after,
          usage: settled.usage,
          durationMs: settled.durationMs,
        });
      case 'failed':
        return await record(live, {
          kind: 'failed',
          payload: toPayload(plainFailure(settled.failure)),
          before: looked.before,
          durationMs: settled.durationMs,
          isClean: !mayHaveHappened,
        });
      case 'refused':
        return await record(live, {
          kind: 'refused',
          payload: request.operation.kind === 'model' ? UNANSWERED : DEADLINE,
          before: looked.before,
        });
      case 'held':
        await holdApproval(live, settled.failure);
        return held(live);
      case 'unavailable':
        if (isEffectful(live.request.operation))
          await doubt(live, { isSettled: true, isAbsent: true });
        parts.control.close('unavailable', settled.failure, request.operation.kind);
        throw operationSuspended('unavailable', settled.failure);
      case 'stopped':
        // What may have happened is marked, so that a resumed run looks before it repeats.
        if (settled.isSettled && live.row !== null && isEffectful(live.request.operation)) {
          await doubt(live, settled);
        }
        throw suspendedBy(parts.control.closing() ?? { reason: 'stopped', failure: null });
      case 'uncertain':
        doubts += 1;
        failure = settled.failure;
        isOpen = true;
        if (live.row !== null) {
          await doubt(live, { isSettled: settled.isSettled, isAbsent: false });
        }
    }
  }
}

/** What goes into the record. */
interface OutcomeDraft {
  readonly kind: 'done' | 'failed' | 'refused';
  readonly payload: Payload;
  readonly before?: Payload | null;
  readonly after?: Payload | null;
  readonly usage?: Usage | null;
  readonly durationMs?: number;
  readonly found?: JsonValue;
  /** For a failure: whether no performance under this key can have had an effect. Default true. */
  readonly isClean?: boolean;
}

async function held({ parts }: Live): Promise<never> {
  parts.control.close('held');
  throw operationSuspended('held');
}

type Looked =
  | { readonly kind: 'ready'; readonly before: Payload | null }
  | { readonly kind: 'ended'; readonly outcome: OutcomeDraft };

const NOTHING: Looked = { kind: 'ready', before: null };

/** Looks at the world before a live performance; a refusal is an outcome. */
async function lookBefore({ parts, request }: Live): Promise<Looked> {
  const { control } = parts;
  const { before } = request.operation;
  if (before === undefined) return NOTHING;
  parts.reach('before:before');
  const confirming = confirmLease(parts);
  if (confirming !== null) await confirming;
  let evidence: Payload | null;
  try {
    const looked = await control.untilAbandoned(Promise.resolve(before(control.actSignal)));
    if (looked.kind === 'abandoned') throw operationSuspended('stopped');
    evidence = looked.value === null ? null : toPayload(looked.value);
  } catch (error) {
    if (control.isAborted()) {
      throw suspendedBy(control.closing() ?? { reason: 'stopped', failure: null });
    }
    const failure = failureOf(error);
    if (MillforgeError.is(error, 'operation/unavailable')) {
      control.close('unavailable', failure, request.operation.kind);
      throw operationSuspended('unavailable', failure);
    }
    const payload = toPayload(plainFailure(failure));
    if (MillforgeError.is(error, 'operation/refused')) {
      return { kind: 'ended', outcome: { kind: 'refused', payload } };
    }
    if (control.isPastDeadline()) {
      return { kind: 'ended', outcome: { kind: 'refused', payload: DEADLINE } };
    }
    return { kind: 'ended', outcome: { kind: 'failed', payload } };
  }
  parts.reach('after:before');
  if (control.isAborted()) {
    throw suspendedBy(control.closing() ?? { reason: 'stopped', failure: null });
  }
  return { kind: 'ready', before: evidence };
}

/** Admits what must be admitted; gives the refusal of a spent budget. */
async function admit(
  live: Live,
  before: Payload | null,
  facts: JsonObject | undefined,
): Promise<Payload | null> {
  const { parts, request } = live;
  const { claim, store } = parts;
  const budget = budgetOf(live);
  // What left a trace is admitted again whatever its effect: that uses up the leave of a person to repeat it once.
  if (live.row !== null || needsAdmission(request.operation)) {
    const write = writeOf(live, before);
    const { draft, notes, elapsedMs, now } = write;
    const plain = { draft, notes, elapsedMs, now, budget };
    const admission = await store.operations.admit(
      claim,
      facts === undefined ? plain : { ...plain, facts },
    );
    if (admission.kind === 'spent') {
      request.giveBack(write.notes);
      return exhausted(admission.over);
    }
    live.row = admission.row;
  } else if (budget !== null) {
    const over = await store.operations.spentLimit(claim, budget);
    if (over !== null) return exhausted(over);
  }
  return null;
}

/** What one more performance could use; null where nothing limits it. */
function budgetOf({ parts, request }: Live): BudgetQuestion | null {
  const { claim, observedLimits } = parts;
  if (observedLimits === null) return null;
  const { key, metered, usageBound } = request.operation;
  return {
    limits: observedLimits,
    name: `${claim.taskId}/${key}`,
    bound: usageBound ?? {},
    metered,
  };
}

/** The refusal of an operation that could use more than the goal may. */
function exhausted(over: SpentLimit): Payload {
  return toPayload({
    code: 'budget-exhausted',
    message: `The goal may use ${over.limit} ${over.name}, ${over.used} are used or set aside, and this could pass the limit.`,
  });
}

async function doubt(
  live: Live,
  known: { readonly isSettled: boolean; readonly isAbsent: boolean },
): Promise<void> {
  const { claim, store } = live.parts;
  live.row = await store.operations.doubt(claim, { ...writeOf(live, null), ...known });
}

/** Makes an outcome durable, then hands out what the recorded bytes parse to. */
async function record(live: Live, outcome: OutcomeDraft): Promise<OperationOutcome> {
  const { claim, control, store } = live.parts;
  try {
    const { draft, notes, elapsedMs, now } = writeOf(live, outcome.before ?? null);
    await store.operations.record(claim, {
      draft,
      notes,
      elapsedMs,
      now,
      outcome: {
        kind: outcome.kind,
        payload: outcome.payload,
        after: outcome.after ?? null,
        usage: outcome.usage ?? null,
        durationMs: outcome.durationMs ?? null,
        found: outcome.found ?? null,
        isClean: outcome.isClean ?? true,
      },
    });
  } catch (error) {
    // Superseded or cancelled: what came too late is evidence, and changes nothing.
    if (MillforgeError.is(error, 'operation/suspended')) {
      await store.attempts.keepLate(claim, {
        key: live.request.operation.key,
        outcome: outcome.kind,
        payload: outcome.payload,
      });
    }
    throw error;
  }
  if (control.closing()?.reason === 'cancelled') throw operationSuspended('cancelled');
  const value = JSON.parse(outcome.payload.text) as JsonValue; // It was written as JSON above.
  switch (outcome.kind) {
    case 'done':
      return { kind: 'done', value, replayed: false };
    case 'failed':
      return { kind: 'failed', error: readFailure(value), replayed: false };
    case 'refused':
      return { kind: 'refused', reason: readFailure(value), replayed: false };
    default:
      return unreachable(outcome.kind, 'outcome');
  }
}

/** A clean failure that is performed anew gets a new key; whatever is in doubt keeps its first. */
function generationOf(row: OperationRow | null): number {
  if (row === null) return 1;
  const isClean = row.state === 'recorded' && row.outcome === 'failed' && row.is_absent;
  return isClean ? row.generation + 1 : row.generation;
}

const NOT_ALLOWED = toPayload({
  code: 'effect-not-allowed',
  message: 'The contract of this goal allows no operation with this effect.',
});

const DEADLINE = toPayload({
  code: 'deadline',
  message: 'The time of this attempt is used up; nothing is performed any more.',
});

const UNANSWERED = toPayload({
  code: 'deadline',
  message: 'The model did not answer before the time of this attempt was used up.',
});
