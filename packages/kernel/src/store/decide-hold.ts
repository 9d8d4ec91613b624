import { type ApprovalDecision, type JsonValue, unreachable } from '@millforge/contracts';
import type { CompleteContract } from '../contract/read-goal-contract.ts';
import type { Decision } from '../decision.ts';
import type { HoldView } from '../goal-view.ts';
import { kernelError, notFound } from '../kernel-error.ts';
import { advanceGoal } from './advance-goal.ts';
import { appendRecord, changed, type RowChange } from './append-record.ts';
import { type AttemptRow, readLatestAttempt, readTask } from './attempt-row.ts';
import { cancelGoal } from './cancel-goal.ts';
import type { GoalRow } from './goal-row.ts';
import { countOpenHolds } from './open-holds.ts';
import { type OperationRow, readOperation } from './operation-row.ts';
import { readPayload, toPayload } from './payloads.ts';
import { readContract } from './read-contract.ts';
import { readHolds } from './read-goal-view.ts';
import { writeOutput } from './record-output.ts';
import { assertUnused, revokesApproval } from './revoke-approval.ts';
import type { StoreTransaction } from './store-transaction.ts';
import { supersedeAttempt } from './supersede-attempt.ts';
import { TABLES } from './tables.ts';

/** Who decides, and what the store cannot know by itself. */
export interface Deciding {
  readonly decision: Decision;
  readonly actor: string;
  readonly receiptId: string;
  /** Whether the act of an operation may still have an effect, because its process lives. */
  readonly mayStillAct: (operation: OperationRow, taskId: string) => boolean;
  /** Whether the callback of an attempt may still have an effect. */
  readonly mayStillRun: (attempt: AttemptRow, taskId: string) => boolean;
  /** Whether the process of an owner lives. */
  readonly isOwnerAlive: (ownerId: string) => boolean;
}

/** Applies a person's decision to an open hold; the first decision wins, but an unused approval can be taken back. */
export function decideHold(tx: StoreTransaction, goal: GoalRow, deciding: Deciding): void {
  const { decision, actor } = deciding;
  const hold = readHolds(tx, goal).find(({ hold_id }) => hold_id === decision.holdId);
  if (hold === undefined) throw notFound('hold');
  if (revokesApproval(hold, decision)) {
    revokeApproval(tx, goal, { ...deciding, hold });
    return;
  }
  checkDecidable(goal, hold, decision);
  if (decision.decision === 'cancel') {
    cancelGoal(tx, goal, { actor, reason: decision.reason });
    return;
  }
  const contract = readContract(tx, goal);
  const others = countOpenHolds(tx, goal, hold.hold_id);
  const decided: readonly RowChange[] = [
    changed('holds', {
      hold_id: hold.hold_id,
      state: 'decided',
      decision: decision.decision,
      decided_by: actor,
      decision_reason: decision.reason,
      decided_at: goal.at,
    }),
    // A goal whose last question is answered goes on, and may end in the same moment.
    ...(others > 0 ? [] : [changed('goals', { state: 'running' })]),
  ];
  const subject = { hold, contract, decided };
  if (hold.reason === 'ambiguous-attempt') {
    decideAttempt(tx, goal, { ...deciding, ...subject });
    return;
  }
  const effect = effectOf(tx, goal, { ...deciding, ...subject });
  const isTaskFree =
    readTask(tx, goal, hold.task_id).state === 'held' &&
    !readHolds(tx, goal).some(
      ({ hold_id, state, task_id }) =>
        state === 'open' && hold_id !== hold.hold_id && task_id === hold.task_id,
    );
  const advance = advanceGoal(tx, goal, {
    contract,
    event: {
      endsAttempt: false,
      taskId: hold.task_id,
      state: isTaskFree ? 'ready' : readTask(tx, goal, hold.task_id).state,
      verdict: readTask(tx, goal, hold.task_id).verdict,
    },
    isHeld: others > 0,
    units: { reserved: goal.units_reserved, settled: goal.units_settled },
  });
  const ends = advance.goal['state'] !== undefined;
  appendRecord(tx, goal, {
    type: effect.isAttested ? 'operation-attested' : 'hold-decided',
    actor,
    changes: [
      ...decided,
      ...effect.changes,
      ...(isTaskFree && !ends ? [changed('tasks', { task_id: hold.task_id, state: 'ready' })] : []),
      // What was just answered does not end with the goal.
      ...advance.changes.filter((change) => !effect.changes.some((one) => isSameRow(one, change))),
      ...(ends ? [changed('goals', advance.goal)] : []),
    ],
  });
}

/** Takes an approval back: its operation stays recorded, and its outcome is a no from here on. */
function revokeApproval(
  tx: StoreTransaction,
  goal: GoalRow,
  deciding: Deciding & { readonly hold: HoldView },
): void {
  const { hold, decision, actor } = deciding;
  if (goal.state !== 'running' && goal.state !== 'held') throw ended(goal);
  checkVersion(hold, decision);
  assertUnused(tx, goal, deciding);
  const operation =
    hold.operation_key === null
      ? null
      : readOperation(tx, goal, { taskId: hold.task_id, key: hold.operation_key });
  if (operation === null) throw notFound('operation');
  appendRecord(tx, goal, {
    type: 'hold-decided',
    actor,
    changes: [
      changed('holds', {
        hold_id: hold.hold_id,
        decision: decision.decision,
        decided_by: actor,
        decision_reason: decision.reason,
        decided_at: goal.at,
      }),
      ...answerApproval(goal, { ...deciding, operation }).changes,
    ],
  });
}

function isSameRow(one: RowChange, other: RowChange): boolean {
  return (
    one.table === other.table &&
    TABLES[one.table].key.every((column) => one.row[column] === other.row[column])
  );
}

/** A decision about a whole attempt: its output is attested, or another attempt replaces it. */
function decideAttempt(
  tx: StoreTransaction,
  goal: GoalRow,
  {
    hold,
    contract,
    decided,
    decision,
    actor,
    receiptId,
    mayStillRun,
  }: Deciding & {
    readonly hold: HoldView;
    readonly contract: CompleteContract;
    readonly decided: readonly RowChange[];
  },
): void {
  const attempt = readLatestAttempt(tx, goal, hold.task_id);
  const task = contract.tasks.find(({ task_id }) => task_id === hold.task_id);
  if (attempt === null || task === undefined) throw notFound('attempt');
  if (decision.decision === 'accept') {
    writeOutput(tx, goal, {
      output: {
        payload: toPayload(
          attestedOutcome(tx, goal, { decision, key: null, taskId: hold.task_id }),
        ),
        verdict: null,
        receiptId,
      },
      contract,
      task,
      attempt: { number: attempt.number, units: attempt.units, admittedAt: attempt.admitted_at },
      actor,
      type: 'attempt-attested',
      before: decided,
      about: { attested_by: actor, is_settled: 1 },
      decidedHold: hold.hold_id,
    });
    return;
  }
  if (mayStillRun(attempt, hold.task_id)) refuseWhileAlive(decision, 'attempt');
  refuseWithoutUnits(goal, task.units);
  appendRecord(tx, goal, {
    type: 'hold-decided',
    actor,
    changes: [
      ...decided,
      ...supersedeAttempt(tx, goal, {
        taskId: hold.task_id,
        contract,
        attempt,
        newKey: decision.newKey === true,
        isHeld: countOpenHolds(tx, goal, hold.hold_id) > 0,
      }),
    ],
  });
}

function refuseWhileAlive(decision: Decision, what: string): void {
  if (decision.evenIfRunning === true) return;
  throw kernelError(
    'kernel/former-owner-alive',
    `The process that began this ${what} still lives, so it may still happen; end that process first, or say that it is to be repeated all the same.`,
  );
}

function refuseWithoutUnits(goal: GoalRow, units: number): void {
  if (goal.units_reserved + goal.units_settled + units <= goal.units_limit) return;
  throw kernelError(
    'kernel/decision-not-allowed',
    `Another attempt needs ${units} units and the goal has ${goal.units_limit - goal.units_reserved - goal.units_settled} left; accept what happened, or cancel.`,
  );
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
  checkVersion(hold, decision);
  if (!hold.decisions.includes(decision.decision)) {
    throw kernelError(
      'kernel/decision-not-allowed',
      `A hold for ${hold.reason} takes ${hold.decisions.join(', ')}, not ${decision.decision}.`,
    );
  }
}

function checkVersion(hold: HoldView, { version }: Decision): void {
  if (hold.version === version) return;
  throw kernelError(
    'kernel/stale-version',
    `The hold has version ${hold.version} by now; read it again and decide on what it says.`,
  );
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

/** What a decision changes besides the hold itself. */
function effectOf(
  tx: StoreTransaction,
  goal: GoalRow,
  deciding: Deciding & { readonly hold: HoldView; readonly contract: CompleteContract },
): DecisionEffect {
  const { hold, decision } = deciding;
  const operation =
    hold.operation_key === null
      ? null
      : readOperation(tx, goal, { taskId: hold.task_id, key: hold.operation_key });
  switch (hold.reason) {
    case 'ambiguous-operation':
      if (operation === null) throw notFound('operation');
      if (decision.decision === 'retry' && deciding.mayStillAct(operation, hold.task_id)) {
        refuseWhileAlive(decision, 'operation');
      }
      return changeOperation(tx, goal, { ...deciding, operation });
    case 'resume-limit': {
      const attempt = readLatestAttempt(tx, goal, hold.task_id);
      if (attempt === null) return NOTHING;
      const { number } = attempt;
      return {
        isAttested: false,
        changes: [changed('attempts', { task_id: hold.task_id, number, resumes: 0 })],
      };
    }
    case 'check-unknown': {
      // A check that no task has decided is only read again.
      if (hold.attempt === null) return NOTHING;
      const task = deciding.contract.tasks.find(({ task_id }) => task_id === hold.task_id);
      refuseWithoutUnits(goal, task?.units ?? 1);
      const { retries } = readTask(tx, goal, hold.task_id);
      return {
        isAttested: false,
        changes: [changed('tasks', { task_id: hold.task_id, retries: retries + 1 })],
      };
    }
    case 'approval-required':
      if (operation === null) throw notFound('operation');
      return answerApproval(goal, { ...deciding, operation });
    case 'adapter-drift':
    case 'diverged':
    case 'restored':
    case 'ambiguous-attempt':
      return NOTHING;
    default:
      return unreachable(hold.reason, 'reason');
  }
}

/** Records what a person said as the outcome of the operation that asked; good for exactly that request. */
function answerApproval(
  goal: GoalRow,
  {
    hold,
    operation,
    decision,
    actor,
  }: Deciding & { readonly hold: HoldView; readonly operation: OperationRow },
): DecisionEffect {
  const seconds = hold.facts.approval?.expires_after_seconds ?? 0;
  const answer: ApprovalDecision = {
    kind: 'approval_decision',
    schema_version: '1.0',
    request_sha256: operation.input_sha256,
    decision: decision.decision === 'approve' ? 'approved' : 'declined',
    decided_by: actor,
    reason: decision.reason,
    decided_at: goal.at,
    expires_at: new Date(Date.parse(goal.at) + seconds * 1000).toISOString(),
  };
  const outcome = toPayload(answer);
  return {
    isAttested: false,
    changes: [
      changed(
        'operations',
        {
          task_id: hold.task_id,
          key: operation.key,
          state: 'recorded',
          outcome: 'done',
          outcome_sha256: outcome.sha256,
          is_settled: 1,
        },
        { outcome_sha256: outcome },
      ),
    ],
  };
}

const NOTHING: DecisionEffect = { isAttested: false, changes: [] };

function changeOperation(
  tx: StoreTransaction,
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
  const outcome = toPayload(
    attestedOutcome(tx, goal, { decision, key: operation.key, taskId: hold.task_id }),
  );
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
  tx: StoreTransaction,
  goal: GoalRow,
  {
    decision,
    key,
    taskId,
  }: {
    readonly decision: Decision;
    /** Key of the operation; null for the output of an attempt. */
    readonly key: string | null;
    readonly taskId: string;
  },
): JsonValue {
  if (decision.outcome !== undefined && decision.seq === undefined) return decision.outcome;
  if (decision.outcome !== undefined || decision.seq === undefined) {
    throw kernelError(
      'kernel/decision-not-allowed',
      'To accept, give the outcome that happened, or the number of the record that kept a late one, and not both.',
    );
  }
  const row = tx.find('trail', {
    goal: goal.goal,
    tenant: goal.tenant,
    seq: decision.seq,
    type: 'result-refused',
  });
  const data: unknown = row === undefined ? null : JSON.parse(String(row['data']));
  const late = typeof data === 'object' && data !== null ? new Map(Object.entries(data)) : null;
  const isMeant = late?.get('key') === key && late.get('task_id') === taskId;
  if (late === null || !isMeant || late.get('outcome') !== 'done') {
    throw kernelError(
      'kernel/decision-not-allowed',
      `Record ${decision.seq} keeps no late outcome of ${key ?? taskId}; name one of type result-refused that does.`,
    );
  }
  return readPayload(tx, goal.tenant, String(late.get('outcome_sha256')));
}
