import { digest } from '@millforge/contracts';
import type { AdapterBinding } from '../contract/goal-contract.ts';
import type { CompleteContract } from '../contract/read-goal-contract.ts';
import { kernelError } from '../kernel-error.ts';
import type { Scope } from '../scope.ts';
import { added, appendRecord, NO_SHA256 } from './append-record.ts';
import { type GoalRow, readGoalAgain, readGoalRow } from './goal-row.ts';
import { savePayload, toPayload } from './payloads.ts';
import type { StoreTransaction } from './store-transaction.ts';

/** Stores a contract as a new goal, or gives the goal that has exactly this one. */
export function admitGoal(
  tx: StoreTransaction,
  scope: Scope,
  admission: {
    readonly contract: CompleteContract;
    readonly goalUid: string;
    readonly now: number;
  },
): GoalRow {
  const { contract, goalUid, now } = admission;
  const payload = toPayload(contract);
  const { tenant } = scope;
  const known = tx.find('goals', { tenant, goal_id: contract.goal_id });
  if (known !== undefined) {
    if (known['contract_sha256'] === payload.sha256) {
      return readGoalAgain(tx, { goal: Number(known['goal']), tenant }, now);
    }
    throw kernelError(
      'kernel/goal-conflict',
      `The goal ${contract.goal_id} exists with another contract; choose another goal id.`,
    );
  }
  const at = new Date(now).toISOString();
  const first = {
    tenant,
    goal_id: contract.goal_id,
    goal_uid: goalUid,
    resource: scope.resource,
    admitted_by: scope.actor,
    created_at: at,
    title: titleOf(contract),
    unchecked: contract.unchecked ? 1 : 0,
    contract_sha256: payload.sha256,
    state: 'ready',
    version: 1,
    fence: 0,
    units_limit: contract.limits.units,
    units_reserved: 0,
    units_settled: 0,
    artifact_bytes: 0,
    head_seq: 0,
    head_sha256: NO_SHA256,
    head_at: at,
  };
  tx.insert('goals', { columns: Object.keys(first), values: Object.values(first) });
  savePayload(tx, tenant, payload);
  const goal = readGoalRow(tx, tenant, { goalId: contract.goal_id, now });
  return appendRecord(tx, goal, {
    type: 'goal-admitted',
    actor: scope.actor,
    changes: contract.tasks.map((task, place) =>
      added('tasks', {
        task_id: task.task_id,
        place,
        binding_sha256: bindingSha256(task.adapter),
        state: task.depends_on.length === 0 ? 'ready' : 'pending',
      }),
    ),
    // The row exists already, for the record to stand under; a verifier takes it from here.
    facts: {
      goals: [
        {
          goal_id: goal.goal_id,
          goal_uid: goal.goal_uid,
          resource: goal.resource,
          admitted_by: goal.admitted_by,
          created_at: goal.created_at,
          title: goal.title,
          unchecked: goal.unchecked ? 1 : 0,
          contract_sha256: goal.contract_sha256,
          state: goal.state,
          units_limit: goal.units_limit,
        },
      ],
    },
  });
}

/** What an adapter must be to perform a task: kind, name, version and parameters. */
export function bindingSha256({ kind, name, version, parameters }: AdapterBinding): string {
  return digest({ kind, name, version, parameters });
}

/** The first line of the objective, short enough for a listing. */
function titleOf({ objective }: CompleteContract): string {
  const line = objective.trim().split('\n', 1)[0] ?? '';
  // Cut between characters: half of one would be no text that can be stored.
  const kept = Array.from(line).slice(0, 120);
  return kept.join('') === line ? line : `${kept.slice(0, 119).join('')}…`;
}
