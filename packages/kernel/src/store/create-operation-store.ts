import { appendRecord, changed } from './append-record.ts';
import type { Claim } from './claim.ts';
import { readClaimed } from './claim.ts';
import type { BudgetQuestion } from './observed-usage.ts';
import { createObservedUsage, type ObservedUsage } from './observed-usage.ts';
import { openHold } from './open-hold.ts';
import { type OperationRow, patchedRow, readOperation } from './operation-row.ts';
import type { HeldOperation, OperationStore } from './operation-store.ts';
import { readKeptPayload } from './payloads.ts';
import type { StoreParts } from './store-parts.ts';
import type { StoreTransaction } from './store-transaction.ts';
import {
  admitOperation,
  doubtOperation,
  proposeOperation,
  recordOperation,
} from './write-operation.ts';

/** Puts the transactions about operations together. */
export function createOperationStore({ db, clock }: StoreParts): OperationStore {
  // What was counted of a goal is kept as long as its attempt is: a question reads only what came since.
  const observed = new WeakMap<Claim, ObservedUsage>();
  const spent = (tx: StoreTransaction, claim: Claim, budget: BudgetQuestion) => {
    const known = observed.get(claim) ?? createObservedUsage();
    observed.set(claim, known);
    return known.exceeded(tx, claim, budget);
  };

  return {
    admit(claim, write) {
      const name = write.draft.row === null ? 'admit-operation' : 'readmit-operation';
      return db.write(name, (tx) => {
        const over = write.budget === null ? null : spent(tx, claim, write.budget);
        if (over !== null) return { kind: 'spent', over };
        return { kind: 'admitted', row: admitOperation(tx, claim, write) };
      });
    },
    spentLimit: (claim, budget) => db.read((tx) => spent(tx, claim, budget)),
    record: (claim, write) =>
      db.write('record-operation', (tx) => recordOperation(tx, claim, write)),
    doubt: (claim, write) => db.write('doubt-operation', (tx) => doubtOperation(tx, claim, write)),
    hold: (claim, doubt) =>
      db.write('open-hold', (tx) => holdOperation(tx, claim, { ...doubt, now: clock.now() })),
    propose: (claim, { write, hold }) =>
      db.write('open-hold', (tx) => {
        proposeOperation(tx, claim, write);
        const { goal } = readClaimed(tx, claim, clock.now());
        openHold(tx, goal, { hold, actor: claim.actor, changes: [] });
      }),
    diverge: (claim, hold) =>
      db.write('open-hold', (tx) => {
        const { goal } = readClaimed(tx, claim, clock.now());
        openHold(tx, goal, { hold, actor: claim.actor, changes: [] });
      }),
    find: (claim, key) => db.read((tx) => readOperation(tx, claim, { taskId: claim.taskId, key })),
    payload: (tenant, kept) => db.read((tx) => readKeptPayload(tx, tenant, kept)),
  };
}

/** Opens the hold of an operation in doubt; one that is repeated at once is decided in the same transaction. */
function holdOperation(
  tx: StoreTransaction,
  claim: Claim,
  held: HeldOperation & { readonly now: number },
): OperationRow {
  const { write, repeatedBy } = held;
  const known = write.draft.row;
  const row =
    known?.state === 'uncertain'
      ? known
      : doubtOperation(tx, claim, {
          ...write,
          isSettled: held.isSettled,
          isAbsent: false,
          tries: held.tries,
        });
  const { goal } = readClaimed(tx, claim, held.now);
  const opened = openHold(tx, goal, {
    hold: held.hold,
    actor: claim.actor,
    changes: [],
    isDecided: repeatedBy !== null,
  });
  if (repeatedBy === null) return row;
  const leave = { task_id: claim.taskId, key: row.key, may_repeat: 1 };
  appendRecord(tx, opened.goal, {
    type: 'hold-decided',
    actor: repeatedBy,
    changes: [
      changed('holds', {
        hold_id: opened.holdId,
        state: 'decided',
        decision: 'retry',
        decided_by: repeatedBy,
        decision_reason: 'The contract says on_ambiguous: retry.',
        decided_at: goal.at,
      }),
      changed('operations', leave),
    ],
  });
  return patchedRow(row, { ...leave, version: row.version + 1 }, {});
}
