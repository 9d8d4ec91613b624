import type { Failure, JsonObject } from '@millforge/contracts';
import { isEffectful } from '../store/operation-rules.ts';
import { type DoubtAnswer, type FormerOwner, type Live, type Looked, writeOf } from './live.ts';
import { plainFailure } from './settle-act.ts';

/** Asks a person about an operation, or repeats it where the contract says so. */
export async function holdAmbiguous(
  live: Live,
  doubt: {
    readonly failure: Failure | null;
    readonly former: FormerOwner | null;
    /** Performances of this process; an operation that has left no trace so far does not know its own. */
    readonly tries: number;
    readonly reconciliation?: Looked;
  },
): Promise<DoubtAnswer> {
  const { parts, request } = live;
  const { claim, store } = parts;
  const isSettled = doubt.former?.mayStillAct !== true;
  const isRepeated =
    parts.onAmbiguous === 'retry' && isSettled && (live.row?.tries ?? 0) < MAX_AUTOMATIC_TRIES;
  live.row = await store.operations.hold(claim, {
    write: writeOf(live, null),
    hold: {
      reason: 'ambiguous-operation',
      message: messageOf(live),
      taskId: claim.taskId,
      attempt: claim.number,
      operationKey: request.operation.key,
      facts: factsOf(live, doubt),
    },
    isSettled,
    tries: doubt.tries,
    repeatedBy: isRepeated ? parts.admittedBy : null,
  });
  if (!isRepeated) return { kind: 'held' };
  return { kind: 'again', mayHaveHappened: isEffectful(request.operation) };
}

function messageOf({ describe, request }: Live): string {
  return isEffectful(request.operation)
    ? `Nobody can tell whether this happened: ${describe}.`
    : `This was tried three times without an answer: ${describe}.`;
}

function factsOf(
  { describe, request, row }: Live,
  {
    failure,
    former,
    tries,
    reconciliation,
  }: {
    readonly failure: Failure | null;
    readonly former: FormerOwner | null;
    readonly tries: number;
    readonly reconciliation?: Looked;
  },
): JsonObject {
  const looked = reconciliation?.facts ?? null;
  return {
    describe,
    input_sha256: request.inputSha256,
    effect: request.operation.effect,
    repeat: request.operation.repeat,
    tries: row?.tries ?? tries,
    ...(looked === null ? {} : { reconciliation: looked }),
    ...(former === null
      ? {}
      : {
          former_owner: {
            owner: { ...former.view },
            alive: former.isAlive,
            act_settled: !former.mayStillAct,
          },
        }),
    ...(failure === null ? {} : { failure: plainFailure(failure) }),
  };
}

// A contract that repeats whatever is in doubt would otherwise repeat for ever.
const MAX_AUTOMATIC_TRIES = 6;
