import { digest } from '@millforge/contracts';
import type { AdapterBinding } from '../contract/goal-contract.ts';
import type { CompleteContract } from '../contract/read-goal-contract.ts';
import { kernelError } from '../kernel-error.ts';
import type { Scope } from '../scope.ts';
import type { Transaction } from '../sqlite/database.ts';
import { added, appendRecord, NO_SHA256 } from './append-record.ts';
import { type GoalRow, readGoalAgain } from './goal-row.ts';
import { savePayload, toPayload } from './payloads.ts';

/** Stores a contract as a new goal, or gives the goal that has exactly this one. */
export function admitGoal(
  tx: Transaction,
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
  const known = tx.get(
    'SELECT goal, contract_sha256 FROM goals WHERE tenant = ? AND goal_id = ?',
    tenant,
    contract.goal_id,
  );
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
  tx.run(
    `INSERT INTO goals (tenant, goal_id, goal_uid, resource, admitted_by, created_at, title, unchecked,
       contract_sha256, state, version, fence, units_limit, units_reserved, units_settled, artifact_bytes,
       head_seq, head_sha256, head_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'ready', 1, 0, ?, 0, 0, 0, 0, ?, ?)`,
    tenant,
    contract.goal_id,
    goalUid,
    scope.resource,
    scope.actor,
    at,
    titleOf(contract),
    contract.unchecked ? 1 : 0,
    payload.sha256,
    contract.limits.units,
    NO_SHA256,
    at,
  );
  savePayload(tx, tenant, payload);
  const row = tx.get(
    'SELECT goal FROM goals WHERE tenant = ? AND goal_id = ?',
    tenant,
    contract.goal_id,
  );
  const goal = readGoalAgain(tx, { goal: Number(row?.['goal']), tenant }, now);
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
