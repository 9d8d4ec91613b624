import { type Failure, MillforgeError, type Reconciliation } from '@millforge/contracts';
import { idempotencyKey, isEffectful, operationName } from '../store/operation-rules.ts';
import { toPayload } from '../store/payloads.ts';
import { confirmLease } from './confirm-lease.ts';
import { holdAmbiguous } from './hold-ambiguous.ts';
import type { DoubtAnswer, FormerOwner, Live, Looked } from './live.ts';
import { readReconciliation } from './read-reconciliation.ts';
import { suspendedBy } from './suspended-by.ts';

/** Repeats what may be repeated, looks where looking is possible, and asks a person otherwise. */
export async function resolveDoubt(
  live: Live,
  doubt: { readonly doubts: number; readonly failure: Failure | null },
): Promise<DoubtAnswer> {
  const { parts, request, row } = live;
  const { operation } = request;
  const mayHaveHappened = isEffectful(operation);
  if (row?.is_absent === true) return { kind: 'again', mayHaveHappened: false };
  if (row?.may_repeat === true) return { kind: 'again', mayHaveHappened };

  const former = await formerOwner(live);
  const isTired = doubt.doubts >= MAX_DOUBTS;
  const hold = (reconciliation?: Looked): Promise<DoubtAnswer> =>
    holdAmbiguous(live, {
      failure: doubt.failure,
      former,
      tries: doubt.doubts,
      ...(reconciliation === undefined ? {} : { reconciliation }),
    });

  if (operation.repeat === 'safe' || !mayHaveHappened) {
    return isTired ? hold() : { kind: 'again', mayHaveHappened };
  }
  const isKeyed =
    operation.repeat === 'keyed' &&
    row !== null &&
    parts.clock.now() - Date.parse(row.first_at) < row.key_ttl_ms;
  if (former?.mayStillAct === true) {
    // The old act may still come: only under the same key does it meet this one.
    return isKeyed && !isTired ? { kind: 'again', mayHaveHappened } : hold();
  }
  const looked = await look(live);
  const closing = parts.control.closing();
  if (closing !== null && parts.control.isAborted()) throw suspendedBy(closing);
  if (looked.answer.kind === 'happened') {
    return { kind: 'happened', value: toPayload(looked.answer.value), found: looked.facts };
  }
  const isAbsent = looked.answer.kind === 'not-happened';
  if ((isAbsent || isKeyed) && !isTired) {
    return {
      kind: 'again',
      mayHaveHappened: !isAbsent,
      ...(looked.facts === null ? {} : { facts: { reconciliation: looked.facts } }),
    };
  }
  return hold(looked);
}

/** Asks the operation's own way of looking; one that throws or takes too long does not know. */
async function look({ parts, request, row, generation }: Live): Promise<Looked> {
  const { clock, control, claim, reach, store } = parts;
  const { reconcile, key } = request.operation;
  if (reconcile === undefined) return { answer: { kind: 'unknown' }, facts: null };
  const sha256 = row?.before_sha256 ?? null;
  const json = row?.before_json ?? null;
  const before =
    sha256 === null ? null : await store.operations.payload(claim.tenant, { sha256, json });
  const limit = new AbortController();
  const signal = AbortSignal.any([control.programSignal, limit.signal]);
  const asking = async (): Promise<Reconciliation> => {
    try {
      return await reconcile({
        idempotencyKey: idempotencyKey(claim, { key, generation: row?.generation ?? generation }),
        before,
        signal,
      });
    } catch (error) {
      const why = MillforgeError.is(error) ? error.code : 'threw';
      return { kind: 'unknown', evidence: { error: why } };
    }
  };
  const waiting = async (): Promise<Reconciliation> => {
    // Ends with the time, with the answer, or with the run.
    await clock.delay(RECONCILE_LIMIT_MS, signal).catch(() => undefined);
    return { kind: 'unknown', evidence: { error: 'too-slow' } };
  };
  reach('before:reconcile');
  const confirming = confirmLease(parts);
  if (confirming !== null) await confirming;
  const answer = await Promise.race([asking(), waiting()]);
  limit.abort();
  reach('after:reconcile');
  return readReconciliation(answer, parts.redactor);
}

/** Who began the performance in doubt, and whether its act may still have an effect. */
async function formerOwner({ parts, request, row }: Live): Promise<FormerOwner | null> {
  if (row === null) return null;
  const { claim, store, unsettled } = parts;
  const isOurs = row.owner_id === claim.ownerId;
  const isAlive = isOurs || (await store.owners.isAlive(row.owner_id));
  const mayStillAct = isOurs
    ? unsettled.has(operationName(claim, request.operation.key))
    : isAlive && !row.is_settled;
  return { view: (await store.owners.read(row.owner_id)).view, isAlive, mayStillAct };
}

/** So many performances without an answer make a question to a person. */
export const MAX_DOUBTS = 3;
const RECONCILE_LIMIT_MS = 30_000;
