import { deepFreeze, type FailureClass, type JsonValue } from '@millforge/contracts';
import type { CompleteContract } from '../contract/read-goal-contract.ts';
import type {
  GoalSummary,
  GoalView,
  HoldFacts,
  HoldView,
  OwnerView,
  TaskView,
} from '../goal-view.ts';
import { type AttemptRow, readLatestAttempt, readTasks } from './attempt-row.ts';
import { type GoalRow, readGoalRow, toGoalRow } from './goal-row.ts';
import { decisionsOf } from './open-hold.ts';
import { readPayload } from './payloads.ts';
import { DECISIONS, HOLD_REASONS, numberOrNull, oneOf, textOrNull } from './read-column.ts';
import { readContract } from './read-contract.ts';
import { readUsage } from './read-usage.ts';
import { importedAt } from './refuse-imported.ts';
import type { SqlRow } from './sql-row.ts';
import type { StoreTransaction } from './store-transaction.ts';

/** Asks about other processes; the answer is not in the file. */
export interface OwnerLookup {
  isAlive(ownerId: string): boolean;
  read(tx: StoreTransaction, ownerId: string): OwnerView;
}

/** Reads one goal as a frozen document. */
export function readGoalView(
  tx: StoreTransaction,
  tenant: string,
  which: { readonly goalId: string; readonly now: number; readonly owners: OwnerLookup },
): GoalView {
  const goal = readGoalRow(tx, tenant, which);
  const contract = readContract(tx, goal);
  const attempts = new Map(
    readTasks(tx, goal).map(({ task_id }) => [task_id, readLatestAttempt(tx, goal, task_id)]),
  );
  const leases = readLeases(tx, goal, which.owners);
  const ownerId = leases.find(({ isLive }) => isLive)?.ownerId ?? null;
  const latest = [...attempts.values()].findLast((attempt) => attempt !== null) ?? null;
  return deepFreeze({
    kind: 'goal',
    schema_version: '1.0',
    ...summaryOf(tx, goal, { contract, isRunning: ownerId !== null }),
    goal_uid: goal.goal_uid,
    objective: contract.objective,
    resource: goal.resource,
    admitted_by: goal.admitted_by,
    imported_at: importedAt(tx, goal),
    contract_sha256: goal.contract_sha256,
    inputs: contract.inputs,
    tasks: readTaskViews(tx, goal, { attempts, leases }),
    holds: readHolds(tx, goal),
    budget: {
      limit: goal.units_limit,
      reserved: goal.units_reserved,
      used: goal.units_settled,
    },
    usage: readUsage(tx, goal),
    unknown_usage: countUnknownUsage(tx, goal),
    interruption: interruptionOf(goal, latest, ownerId === null && leases.length > 0),
    failure:
      goal.failure_code === null
        ? null
        : { code: goal.failure_code, message: goal.failure_message ?? '' },
    owner: ownerId === null ? null : which.owners.read(tx, ownerId),
    head: { seq: goal.head_seq, sha256: goal.head_sha256 },
  });
}

/** Reads a page of goals, newest first. */
export function readGoalSummaries(
  tx: StoreTransaction,
  tenant: string,
  page: {
    readonly limit: number;
    readonly before: string | null;
    readonly now: number;
    readonly owners: OwnerLookup;
  },
): readonly GoalSummary[] {
  const before =
    page.before === null ? null : readGoalRow(tx, tenant, { goalId: page.before, now: page.now });
  const after = before?.goal ?? Number.MAX_SAFE_INTEGER;
  const owners = askedOnce(page.owners);
  return tx
    .list('goals', { tenant }, { orderBy: 'goal', descending: true, after, limit: page.limit })
    .map((row) => {
      const goal = toGoalRow(tx, row, page.now);
      const isRunning = readLeases(tx, goal, owners).some(({ isLive }) => isLive);
      return deepFreeze(summaryOf(tx, goal, { contract: readContract(tx, goal), isRunning }));
    });
}

/** Performances that cost something and left neither a record nor a bound. */
function countUnknownUsage(tx: StoreTransaction, { goal, tenant }: GoalRow): number {
  return tx.count('operations', {
    goal,
    tenant,
    metered: 1,
    state: ['admitted', 'uncertain', 'cancelled'],
    usage_bound: null,
  });
}

/** A lease, and whether the process that holds it lives. */
interface SeenLease {
  readonly taskId: string;
  readonly ownerId: string;
  readonly isLive: boolean;
}

function readLeases(
  tx: StoreTransaction,
  { goal, tenant }: GoalRow,
  owners: Pick<OwnerLookup, 'isAlive'>,
): readonly SeenLease[] {
  return tx.list('leases', { goal, tenant }).map((row) => {
    const ownerId = String(row['owner_id']);
    return { taskId: String(row['task_id']), ownerId, isLive: owners.isAlive(ownerId) };
  });
}

/** Asks about each owner once: a listing has many goals of few processes. */
function askedOnce(owners: Pick<OwnerLookup, 'isAlive'>): Pick<OwnerLookup, 'isAlive'> {
  const known = new Map<string, boolean>();
  return {
    isAlive(ownerId) {
      const isAlive = known.get(ownerId) ?? owners.isAlive(ownerId);
      known.set(ownerId, isAlive);
      return isAlive;
    },
  };
}

function summaryOf(
  tx: StoreTransaction,
  goal: GoalRow,
  { contract, isRunning }: { readonly contract: CompleteContract; readonly isRunning: boolean },
): GoalSummary {
  const of = { goal: goal.goal, tenant: goal.tenant };
  return {
    goal_id: goal.goal_id,
    state: goal.state,
    is_running: isRunning,
    version: goal.version,
    title: goal.title,
    unchecked: goal.unchecked,
    open_holds: tx.count('holds', { ...of, state: 'open' }),
    effects_unknown:
      tx.count('operations', { ...of, state: 'cancelled', effect: ['write', 'external'] }) +
      tx.count('publications', { ...of, state: ['sending', 'unknown'] }),
    created_at: goal.created_at,
    updated_at: goal.head_at,
    labels: contract.labels,
  };
}

function readTaskViews(
  tx: StoreTransaction,
  goal: GoalRow,
  {
    attempts,
    leases,
  }: {
    readonly attempts: ReadonlyMap<string, AttemptRow | null>;
    readonly leases: readonly SeenLease[];
  },
): readonly TaskView[] {
  return readTasks(tx, goal).map((task) => {
    const attempt = attempts.get(task.task_id) ?? null;
    // The rows say what they said when the process died, until somebody goes on with them.
    const isRunning = leases.some(({ taskId, isLive }) => taskId === task.task_id && isLive);
    const of = { goal: goal.goal, tenant: goal.tenant, task_id: task.task_id };
    const receipt = tx.find('receipts', of);
    return {
      task_id: task.task_id,
      state: task.state === 'running' && !isRunning ? 'interrupted' : task.state,
      attempt:
        attempt === null
          ? null
          : {
              number: attempt.number,
              state: attempt.state === 'running' && !isRunning ? 'interrupted' : attempt.state,
              fence: attempt.fence,
              resumes: attempt.resumes,
              elapsed_ms: attempt.elapsed_ms,
              operations: tx.count('operations', of),
            },
      output: task.output_sha256 === null ? null : readPayload(tx, goal.tenant, task.output_sha256),
      receipt_sha256: textOrNull(receipt?.['receipt_sha256']),
    };
  });
}

/** Reads all holds of a goal, oldest first. */
export function readHolds(tx: StoreTransaction, goal: GoalRow): readonly HoldView[] {
  return tx.list('holds', { goal: goal.goal, tenant: goal.tenant }).map(toHoldView);
}

function toHoldView(row: SqlRow): HoldView {
  const reason = oneOf(HOLD_REASONS, row['reason']);
  const decision = row['decision'];
  return {
    hold_id: String(row['hold_id']),
    version: Number(row['version']),
    state: oneOf(['open', 'decided'], row['state']),
    reason,
    message: String(row['message']),
    task_id: String(row['task_id']),
    attempt: numberOrNull(row['attempt']),
    operation_key: textOrNull(row['operation_key']),
    facts: JSON.parse(String(row['facts'])) as HoldFacts, // Written by this package from HoldFacts.
    decisions: decisionsOf(reason),
    opened_at: String(row['opened_at']),
    decision:
      decision === null
        ? null
        : {
            decision: oneOf(DECISIONS, decision),
            actor: String(row['decided_by']),
            reason: String(row['decision_reason']),
            at: String(row['decided_at']),
          },
  };
}

function interruptionOf(
  goal: GoalRow,
  attempt: AttemptRow | null,
  isOrphan: boolean,
): GoalView['interruption'] {
  if (isOrphan) {
    return {
      reason: 'crashed',
      failure_class: null,
      message: 'The process that ran it is gone; resume it to go on where it was.',
    };
  }
  if (attempt?.state !== 'suspended') return null;
  if (goal.state === 'held') {
    return {
      reason: 'held',
      failure_class: null,
      message: 'It waits for the decision of a person.',
    };
  }
  if (attempt.suspended_by === 'unavailable') {
    return {
      reason: 'unavailable',
      failure_class: failureClass(attempt.failure_class),
      message: attempt.failure_message ?? 'The other side could not be reached.',
    };
  }
  return {
    reason: 'stopped',
    failure_class: null,
    message: 'It was stopped; resume it to go on where it was.',
  };
}

function failureClass(value: JsonValue): FailureClass | null {
  return value === null ? null : oneOf(['model_unavailable', 'tool_failed'], value);
}
