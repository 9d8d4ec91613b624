import type { JsonObject } from '@millforge/contracts';
import { appendRecord, changed } from './append-record.ts';
import type { Found } from './attempt-store.ts';
import { readOwner } from './create-owner-store.ts';
import { writeFailure } from './end-attempt.ts';
import type { GoalRow } from './goal-row.ts';
import { openHold } from './open-hold.ts';
import { toPayload } from './payloads.ts';
import { writeOutput } from './record-output.ts';
import type { Standing } from './standing.ts';
import type { StoreTransaction } from './store-transaction.ts';
import { supersedeAttempt } from './supersede-attempt.ts';
import { readAgain } from './take-attempt.ts';

/** Settles an attempt in doubt by what looking said: records it, lets another follow, or asks a person. */
export function resolveLeftAttempt(
  tx: StoreTransaction,
  seen: Standing,
  found: Found & { readonly now: number },
): void {
  const current = readAgain(tx, seen, found.now);
  const { attempt, contract, goal, task } = current;
  const isSame =
    attempt !== null &&
    attempt.number === seen.attempt?.number &&
    attempt.version === seen.attempt.version &&
    current.taskRow.state === 'running';
  if (!isSame) return;
  const facts: JsonObject = { reconciliation: found.facts };
  switch (found.answer.kind) {
    case 'happened':
      writeOutput(tx, goal, {
        output: {
          payload: toPayload(found.answer.value),
          verdict: null,
          receiptId: found.receiptId,
        },
        contract,
        task,
        attempt: {
          number: attempt.number,
          units: attempt.units,
          admittedAt: attempt.admitted_at,
        },
        actor: found.actor,
        type: 'attempt-reconciled',
        before: [],
        facts,
      });
      return;
    case 'not-happened':
      writeFailure(tx, goal, {
        failure: {
          code: attempt.failure_code ?? 'interrupted',
          message: attempt.failure_message ?? '',
          isClean: true,
        },
        task,
        contract,
        number: attempt.number,
        units: attempt.units,
        actor: found.actor,
        type: 'attempt-failed',
        before: [],
        // What an interruption kept from happening costs neither an attempt nor its units.
        isFree: attempt.failure_code === 'interrupted' && attempt.number <= task.max_resumes,
      });
      return;
    case 'unknown':
      ask(tx, goal, { standing: { ...current, attempt }, found });
  }
}

/** An attempt in doubt, as it stands. */
type InDoubt = Standing & { readonly attempt: NonNullable<Standing['attempt']> };

/** Opens the hold of an attempt in doubt, or repeats it in the name of whoever admitted the goal. */
function ask(
  tx: StoreTransaction,
  goal: GoalRow,
  { standing, found }: { readonly standing: InDoubt; readonly found: Found },
): void {
  const { task, attempt, contract } = standing;
  const { mayStillAct } = found;
  const hasUnits = goal.units_reserved + goal.units_settled + task.units <= goal.units_limit;
  const isRepeated =
    contract.on_ambiguous === 'retry' &&
    !mayStillAct &&
    hasUnits &&
    attempt.number < MAX_AUTOMATIC_ATTEMPTS;
  const opened = openHold(tx, goal, {
    hold: {
      reason: 'ambiguous-attempt',
      message: `Nobody can tell what attempt ${attempt.number} of ${task.task_id} did: ${attempt.failure_message ?? 'it was interrupted'}`,
      taskId: task.task_id,
      attempt: attempt.number,
      operationKey: null,
      facts: {
        effect: task.effect,
        repeat: task.repeat,
        ...(found.facts === null ? {} : { reconciliation: found.facts }),
        ...(attempt.owner_id === ''
          ? {}
          : {
              former_owner: {
                owner: { ...readOwner(tx, attempt.owner_id) },
                alive: mayStillAct,
                act_settled: !mayStillAct,
              },
            }),
        failure: {
          code: attempt.failure_code ?? 'interrupted',
          message: attempt.failure_message ?? '',
        },
      },
    },
    actor: found.actor,
    changes: [],
    isDecided: isRepeated,
  });
  if (!isRepeated) return;
  appendRecord(tx, opened.goal, {
    type: 'hold-decided',
    actor: goal.admitted_by,
    changes: [
      changed('holds', {
        hold_id: opened.holdId,
        state: 'decided',
        decision: 'retry',
        decided_by: goal.admitted_by,
        decision_reason: 'The contract says on_ambiguous: retry.',
        decided_at: goal.at,
      }),
      ...supersedeAttempt(tx, goal, {
        taskId: task.task_id,
        contract,
        attempt,
        newKey: false,
        isHeld: false,
      }),
    ],
  });
}

// A contract that repeats whatever is in doubt would otherwise repeat for ever.
const MAX_AUTOMATIC_ATTEMPTS = 6;
