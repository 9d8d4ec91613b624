import { digest, type JsonObject, type JsonValue } from '@millforge/contracts';
import type { Transaction } from '../sqlite/database.ts';
import { appendNotes, type Note } from './append-notes.ts';
import { added, appendRecord, changed } from './append-record.ts';
import { dropLease } from './attempt-row.ts';
import { beginning, type Claim, readClaimedGoal } from './claim.ts';
import { type Payload, savePayload } from './payloads.ts';
import { readUsage } from './read-usage.ts';

/** Why an attempt was let go, as its row keeps it. */
export interface Suspension {
  readonly by: 'stopped' | 'unavailable' | 'held';
  readonly failureClass: string | null;
  readonly code: string | null;
  readonly message: string | null;
}

/** Lets an attempt go; it can be claimed again, with the same number and units. */
export function suspendAttempt(
  tx: Transaction,
  claim: Claim,
  {
    suspension,
    elapsedMs,
    now,
  }: { readonly suspension: Suspension; readonly elapsedMs: number; readonly now: number },
): void {
  const { goal } = readClaimedGoal(tx, claim, now);
  dropLease(tx, goal, claim.taskId);
  appendRecord(tx, goal, {
    type: 'attempt-suspended',
    actor: claim.actor,
    changes: [
      ...(goal.state === 'held'
        ? []
        : [changed('tasks', { task_id: claim.taskId, state: 'ready' })]),
      changed('attempts', {
        task_id: claim.taskId,
        number: claim.number,
        state: 'suspended',
        elapsed_ms: elapsedMs,
        suspended_by: suspension.by,
        failure_class: suspension.failureClass,
        failure_code: suspension.code,
        failure_message: suspension.message,
      }),
    ],
  });
}

/** Ends an attempt that failed; another one may follow, or the task and its goal fail. */
export function failAttempt(
  tx: Transaction,
  claim: Claim,
  failed: {
    readonly code: string;
    readonly message: string;
    readonly elapsedMs: number;
    readonly maxAttempts: number;
    readonly now: number;
  },
): void {
  const { goal, attemptState } = readClaimedGoal(tx, claim, failed.now);
  dropLease(tx, goal, claim.taskId);
  const isLast =
    claim.number >= failed.maxAttempts ||
    goal.units_reserved + goal.units_settled + claim.units > goal.units_limit;
  const units = {
    units_reserved: goal.units_reserved - claim.units,
    units_settled: goal.units_settled + claim.units,
  };
  const failure = { failure_code: failed.code, failure_message: failed.message };
  appendRecord(tx, goal, {
    type: 'attempt-failed',
    actor: claim.actor,
    changes: [
      ...beginning(claim, attemptState),
      changed('attempts', {
        task_id: claim.taskId,
        number: claim.number,
        state: 'failed',
        elapsed_ms: failed.elapsedMs,
        ended_at: goal.at,
        ...failure,
      }),
      changed('tasks', { task_id: claim.taskId, state: isLast ? 'failed' : 'ready' }),
      changed('goals', isLast ? { ...units, state: 'failed', ...failure } : units),
    ],
  });
}

/** Records the output of an attempt with its receipt; the task is completed and the goal can be checked. */
export function recordResult(
  tx: Transaction,
  claim: Claim,
  result: {
    readonly output: Payload;
    readonly bindingSha256: string;
    readonly inputSha256: string;
    readonly receiptId: string;
    readonly admittedAt: string;
    readonly elapsedMs: number;
    readonly notes: readonly Note[];
    readonly now: number;
  },
): void {
  const claimed = readClaimedGoal(tx, claim, result.now);
  const goal = appendNotes(tx, claimed.goal, { claim, notes: result.notes });
  dropLease(tx, goal, claim.taskId);
  savePayload(tx, goal.tenant, result.output);
  const receipt: JsonObject = {
    receipt_id: result.receiptId,
    goal_id: goal.goal_id,
    task_id: claim.taskId,
    attempt: claim.number,
    contract_sha256: goal.contract_sha256,
    binding_sha256: result.bindingSha256,
    input_sha256: result.inputSha256,
    output_sha256: result.output.sha256,
    artifacts: artifactDigests(tx, claim),
    units_reserved: claim.units,
    units_settled: claim.units,
    usage: { ...readUsage(tx, claim) },
    started_at: result.admittedAt,
    ended_at: goal.at,
    previous_receipt_sha256: goal.receipt_sha256,
  };
  const receiptSha256 = digest(receipt);
  appendRecord(tx, goal, {
    type: 'result-recorded',
    actor: claim.actor,
    changes: [
      ...beginning(claim, claimed.attemptState),
      changed('attempts', {
        task_id: claim.taskId,
        number: claim.number,
        state: 'recorded',
        elapsed_ms: result.elapsedMs,
        ended_at: goal.at,
      }),
      changed('tasks', {
        task_id: claim.taskId,
        state: 'completed',
        output_sha256: result.output.sha256,
      }),
      added('receipts', { task_id: claim.taskId, receipt, receipt_sha256: receiptSha256 }),
      changed('goals', {
        // A hold that opened in the meantime is decided first.
        ...(goal.state === 'running' ? { state: 'checking' } : {}),
        units_reserved: goal.units_reserved - claim.units,
        units_settled: goal.units_settled + claim.units,
        receipt_sha256: receiptSha256,
      }),
    ],
  });
}

function artifactDigests(tx: Transaction, { goal, tenant }: Claim): readonly JsonValue[] {
  return tx
    .all('SELECT sha256 FROM artifacts WHERE goal = ? AND tenant = ? ORDER BY sha256', goal, tenant)
    .map((row) => String(row['sha256']));
}
