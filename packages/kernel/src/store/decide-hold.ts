import type { JsonValue } from '@millforge/contracts';
import type { HoldView } from '../goal-view.ts';
import type { Decision } from '../kernel.ts';
import { kernelError, notFound } from '../kernel-error.ts';
import type { Transaction } from '../sqlite/database.ts';
import { appendRecord, changed, type RowChange } from './append-record.ts';
import { readLatestAttempt } from './attempt-row.ts';
import { cancelGoal } from './cancel-goal.ts';
import type { GoalRow } from './goal-row.ts';
import { type OperationRow, readOperation } from './operation-row.ts';
import { readPayload, toPayload } from './payloads.ts';
import { readHolds } from './read-goal-view.ts';

/** Applies a person's decision to an open hold; the first decision wins. */
export function decideHold(
  tx: Transaction,
  goal: GoalRow,
  {
    decision,
    actor,
    mayStillAct,
  }: {
    readonly decision: Decision;
    readonly actor: string;
    /** Whether the act of an operation may still have an effect, because its process lives. */
    readonly mayStillAct: (operation: OperationRow) => boolean;
  },
): void {
  const hold = readHolds(tx, goal).find(({ hold_id }) => hold_id === decision.holdId);
  if (hold === undefined) throw notFound('hold');
  checkDecidable(goal, hold, decision);
  if (decision.decision === 'cancel') {
    cancelGoal(tx, goal, { actor, reason: decision.reason });
    return;
  }
  const operation =
    hold.reason === 'ambiguous-operation' && hold.operation_key !== null
      ? readOperation(tx, goal, { taskId: hold.task_id, key: hold.operation_key })
      : null;
  if (decision.decision === 'retry' && operation !== null && mayStillAct(operation)) {
    if (decision.evenIfRunning !== true) {
      throw kernelError(
        'kernel/former-owner-alive',
        'The process that began this operation still lives, so it may still happen; end that process first, or say that it is to be repeated all the same.',
      );
    }
  }
  const effect =
    operation === null
      ? retryAttempt(tx, goal, hold)
      : changeOperation(tx, goal, { hold, operation, decision, actor });
  const others = readHolds(tx, goal).filter(
    ({ hold_id, state }) => state === 'open' && hold_id !== hold.hold_id,
  );
  appendRecord(tx, goal, {
    type: effect.isAttested ? 'operation-attested' : 'hold-decided',
    actor,
    changes: [
      changed('holds', {
        hold_id: hold.hold_id,
        state: 'decided',
        decision: decision.decision,
        decided_by: actor,
        decision_reason: decision.reason,
        decided_at: goal.at,
      }),
      ...effect.changes,
      ...(others.some(({ task_id }) => task_id === hold.task_id)
        ? []
        : [changed('tasks', { task_id: hold.task_id, state: 'ready' })]),
      ...(others.length > 0 ? [] : [changed('goals', { state: 'running' })]),
    ],
  });
}

function checkDecidable(goal: GoalRow, hold: HoldView, decision: Decision): void {
  if (hold.decision !== null) {
    throw kernelError(
      'kernel/hold-decided',
      `${hold.decision.actor} decided ${hold.decision.decision} at ${hold.decision.at}; that decision stands.`,
      { ...hold.decision },
    );
  }
  if (goal.state !== 'held') throw ended(goal);
  if (hold.version !== decision.version) {
    throw kernelError(
      'kernel/stale-version',
      `The hold has version ${hold.version} by now; read it again and decide on what it says.`,
    );
  }
  if (!hold.decisions.includes(decision.decision)) {
    throw kernelError(
      'kernel/decision-not-allowed',
      `A hold for ${hold.reason} takes ${hold.decisions.join(', ')}, not ${decision.decision}.`,
    );
  }
}

/** A goal that nobody can change any more. */
export function ended({ goal_id, state }: GoalRow): Error {
  return kernelError(
    'kernel/goal-ended',
    `The goal ${goal_id} is ${state}; nothing can be decided about it.`,
  );
}

interface DecisionEffect {
  readonly isAttested: boolean;
  readonly changes: readonly RowChange[];
}

/** Divergence, drift and the limit of resumes: the next run tries again. */
function retryAttempt(tx: Transaction, goal: GoalRow, hold: HoldView): DecisionEffect {
  const attempt = readLatestAttempt(tx, goal, hold.task_id);
  if (hold.reason !== 'resume-limit' || attempt === null) return { isAttested: false, changes: [] };
  return {
    isAttested: false,
    changes: [changed('attempts', { task_id: hold.task_id, number: attempt.number, resumes: 0 })],
  };
}

function changeOperation(
  tx: Transaction,
  goal: GoalRow,
  {
    hold,
    operation,
    decision,
    actor,
  }: {
    readonly hold: HoldView;
    readonly operation: OperationRow;
    readonly decision: Decision;
    readonly actor: string;
  },
): DecisionEffect {
  const key = { task_id: hold.task_id, key: operation.key };
  if (decision.decision === 'retry') {
    const generation = operation.generation + (decision.newKey === true ? 1 : 0);
    return {
      isAttested: false,
      changes: [changed('operations', { ...key, may_repeat: 1, generation })],
    };
  }
  const outcome = toPayload(attestedOutcome(tx, goal, { decision, key: operation.key }));
  return {
    isAttested: true,
    changes: [
      changed(
        'operations',
        {
          ...key,
          state: 'recorded',
          outcome: 'done',
          outcome_sha256: outcome.sha256,
          is_settled: 1,
          attested_by: actor,
        },
        { outcome_sha256: outcome },
      ),
    ],
  };
}

/** What a person says happened: an outcome, or one that came too late and was kept. */
function attestedOutcome(
  tx: Transaction,
  goal: GoalRow,
  { decision, key }: { readonly decision: Decision; readonly key: string },
): JsonValue {
  if (decision.outcome !== undefined && decision.seq === undefined) return decision.outcome;
  if (decision.outcome !== undefined || decision.seq === undefined) {
    throw kernelError(
      'kernel/decision-not-allowed',
      'To accept, give the outcome that happened, or the number of the record that kept a late one, and not both.',
    );
  }
  const row = tx.get(
    `SELECT data FROM trail WHERE goal = ? AND tenant = ? AND seq = ? AND type = 'result-refused'`,
    goal.goal,
    goal.tenant,
    decision.seq,
  );
  const data: unknown = row === undefined ? null : JSON.parse(String(row['data']));
  const late = typeof data === 'object' && data !== null ? new Map(Object.entries(data)) : null;
  if (late?.get('key') !== key || late.get('outcome') !== 'done') {
    throw kernelError(
      'kernel/decision-not-allowed',
      `Record ${decision.seq} keeps no late outcome of ${key}; name one of type result-refused that does.`,
    );
  }
  return readPayload(tx, goal.tenant, String(late.get('outcome_sha256')));
}
