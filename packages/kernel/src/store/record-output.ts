import { digest, type JsonObject, type JsonValue } from '@millforge/contracts';
import type { CompleteContract, CompleteTask } from '../contract/read-goal-contract.ts';
import { bindingSha256 } from './admit-goal.ts';
import { advanceGoal } from './advance-goal.ts';
import { appendNotes, type Note } from './append-notes.ts';
import { added, appendRecord, changed, type RowChange, type RowPatch } from './append-record.ts';
import { dropLease, readTasks } from './attempt-row.ts';
import { beginning, type Claim, readClaimedGoal } from './claim.ts';
import type { GoalRow } from './goal-row.ts';
import { countOpenHolds } from './open-holds.ts';
import { type Payload, savePayload } from './payloads.ts';
import { readUsage } from './read-usage.ts';
import type { StoreTransaction } from './store-transaction.ts';

/** What an attempt came to, with what its receipt tells. */
export interface Output {
  /** What the program gave. */
  readonly payload: Payload;
  /** What a verify task said; null for every other one. */
  readonly verdict: 'pass' | 'fail' | null;
  /** Name of its receipt. */
  readonly receiptId: string;
}

/** Records the output of an attempt with its receipt; the task is completed and what waited for it becomes ready. */
export function recordResult(
  tx: StoreTransaction,
  claim: Claim,
  result: {
    readonly output: Output;
    readonly contract: CompleteContract;
    readonly task: CompleteTask;
    readonly admittedAt: string;
    readonly elapsedMs: number;
    readonly notes: readonly Note[];
    readonly now: number;
  },
): void {
  const claimed = readClaimedGoal(tx, claim, result.now);
  const goal = appendNotes(tx, claimed.goal, { claim, notes: result.notes });
  dropLease(tx, goal, claim.taskId);
  writeOutput(tx, goal, {
    ...result,
    attempt: { number: claim.number, units: claim.units, admittedAt: result.admittedAt },
    actor: claim.actor,
    type: 'result-recorded',
    before: beginning(claim, claimed.attemptState),
    about: { elapsed_ms: result.elapsedMs },
  });
}

/** Appends the record of an output: observed, found by looking, or attested by a person. */
export function writeOutput(
  tx: StoreTransaction,
  goal: GoalRow,
  written: {
    readonly output: Output;
    readonly contract: CompleteContract;
    readonly task: CompleteTask;
    readonly attempt: {
      readonly number: number;
      readonly units: number;
      readonly admittedAt: string;
    };
    readonly actor: string;
    readonly type: string;
    readonly before: readonly RowChange[];
    /** Changes of the attempt that go with it, such as who attests. */
    readonly about?: RowPatch;
    readonly facts?: JsonObject;
    /** A hold that is decided in the same record. */
    readonly decidedHold?: string;
  },
): void {
  const { output, contract, task, attempt } = written;
  savePayload(tx, goal.tenant, output.payload);
  const receipt: JsonObject = {
    receipt_id: output.receiptId,
    goal_id: goal.goal_id,
    task_id: task.task_id,
    attempt: attempt.number,
    contract_sha256: goal.contract_sha256,
    binding_sha256: bindingSha256(task.adapter),
    input_sha256: inputSha256(tx, goal, { contract, task }),
    output_sha256: output.payload.sha256,
    artifacts: artifactDigests(tx, goal),
    units_reserved: attempt.units,
    units_settled: attempt.units,
    usage: { ...readUsage(tx, { ...goal, taskId: task.task_id }) },
    started_at: attempt.admittedAt,
    ended_at: goal.at,
    previous_receipt_sha256: goal.receipt_sha256,
  };
  const receiptSha256 = digest(receipt);
  const advance = advanceGoal(tx, goal, {
    contract,
    event: { endsAttempt: true, taskId: task.task_id, state: 'completed', verdict: output.verdict },
    isHeld: countOpenHolds(tx, goal, written.decidedHold) > 0,
    units: {
      reserved: goal.units_reserved - attempt.units,
      settled: goal.units_settled + attempt.units,
    },
  });
  appendRecord(tx, goal, {
    type: written.type,
    actor: written.actor,
    ...(written.facts === undefined ? {} : { facts: written.facts }),
    changes: [
      ...written.before,
      changed('attempts', {
        task_id: task.task_id,
        number: attempt.number,
        state: 'recorded',
        ended_at: goal.at,
        ...written.about,
      }),
      changed('tasks', {
        task_id: task.task_id,
        state: 'completed',
        output_sha256: output.payload.sha256,
        ...(output.verdict === null ? {} : { verdict: output.verdict }),
      }),
      added('receipts', { task_id: task.task_id, receipt, receipt_sha256: receiptSha256 }),
      ...advance.changes,
      changed('goals', { ...advance.goal, receipt_sha256: receiptSha256 }),
    ],
  });
}

/** Digest of what a task was given: the inputs of the goal, and the outputs that it depends on. */
export function inputSha256(
  tx: StoreTransaction,
  goal: Pick<GoalRow, 'goal' | 'tenant'>,
  { contract, task }: { readonly contract: CompleteContract; readonly task: CompleteTask },
): string {
  if (task.depends_on.length === 0) return digest(contract.inputs);
  const outputs: { [taskId: string]: JsonValue } = {};
  for (const { task_id, output_sha256 } of readTasks(tx, goal)) {
    if (task.depends_on.includes(task_id)) outputs[task_id] = output_sha256;
  }
  return digest({ inputs: contract.inputs, outputs });
}

function artifactDigests(
  tx: StoreTransaction,
  { goal, tenant }: Pick<GoalRow, 'goal' | 'tenant'>,
): readonly JsonValue[] {
  return tx
    .list('artifacts', { goal, tenant }, { orderBy: 'sha256' })
    .map((row) => String(row['sha256']));
}
