import type { Failure, JsonObject } from '@millforge/contracts';
import { appendRecord, changed } from '../store/append-record.ts';
import { readClaimed } from '../store/claim.ts';
import { openHold } from '../store/open-hold.ts';
import { patchedRow } from '../store/operation-row.ts';
import { doubtOperation } from '../store/write-operation.ts';
import { type DoubtAnswer, type FormerOwner, type Live, type Looked, writeOf } from './live.ts';
import { isEffectful } from './operation-rules.ts';
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
  const { clock, claim, db } = parts;
  const { key } = request.operation;
  const write = writeOf(live, null);
  const isSettled = doubt.former?.mayStillAct !== true;
  const isRepeated =
    parts.onAmbiguous === 'retry' && isSettled && (live.row?.tries ?? 0) < MAX_AUTOMATIC_TRIES;
  live.row = await db.write('open-hold', (tx) => {
    const row =
      live.row?.state === 'uncertain'
        ? live.row
        : doubtOperation(tx, claim, {
            ...write,
            isSettled,
            isAbsent: false,
            tries: doubt.tries,
          });
    const { goal } = readClaimed(tx, claim, clock.now());
    const hold = {
      reason: 'ambiguous-operation',
      message: messageOf(live),
      taskId: claim.taskId,
      attempt: claim.number,
      operationKey: key,
      facts: factsOf(live, doubt),
    } as const;
    const opened = openHold(tx, goal, {
      hold,
      actor: claim.actor,
      changes: [],
      isDecided: isRepeated,
    });
    if (!isRepeated) return row;
    const leave = { task_id: claim.taskId, key, may_repeat: 1 };
    appendRecord(tx, opened.goal, {
      type: 'hold-decided',
      actor: parts.admittedBy,
      changes: [
        changed('holds', {
          hold_id: opened.holdId,
          state: 'decided',
          decision: 'retry',
          decided_by: parts.admittedBy,
          decision_reason: 'The contract says on_ambiguous: retry.',
          decided_at: goal.at,
        }),
        changed('operations', leave),
      ],
    });
    return patchedRow(row, leave, {});
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
