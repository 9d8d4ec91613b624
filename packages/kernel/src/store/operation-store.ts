import type { JsonObject, JsonValue } from '@millforge/contracts';
import type { Claim } from './claim.ts';
import type { BudgetQuestion, SpentLimit } from './observed-usage.ts';
import type { HoldDraft } from './open-hold.ts';
import type { OperationRow } from './operation-row.ts';
import type { KeptPayload } from './payloads.ts';
import type { OperationWrite, RecordedOutcome } from './write-operation.ts';

/**
 * Operations of a claimed attempt, each with the decisions that wait to be told before it.
 *
 * Every method that takes a claim and changes something rejects like those of {@link AttemptStore}.
 */
export interface OperationStore {
  /** Admits an operation before it is performed, unless the goal could use more than it may. */
  admit(
    claim: Claim,
    write: OperationWrite & {
      readonly facts?: JsonObject;
      readonly budget: BudgetQuestion | null;
    },
  ): Promise<Admission>;
  /** Asks the same without admitting: the limit that one more performance could pass, or null. */
  spentLimit(claim: Claim, budget: BudgetQuestion): Promise<SpentLimit | null>;
  /** Records how an operation came out. */
  record(
    claim: Claim,
    write: OperationWrite & { readonly outcome: RecordedOutcome },
  ): Promise<void>;
  /** Marks an operation whose outcome nobody knows. */
  doubt(
    claim: Claim,
    write: OperationWrite & { readonly isSettled: boolean; readonly isAbsent: boolean },
  ): Promise<OperationRow>;
  /** Asks a person about an operation in doubt, or answers in the name of whoever admitted the goal. */
  hold(claim: Claim, doubt: HeldOperation): Promise<OperationRow>;
  /** Proposes an operation and asks a person whether it may be performed. */
  propose(
    claim: Claim,
    proposal: { readonly write: OperationWrite; readonly hold: HoldDraft },
  ): Promise<void>;
  /** Holds the goal where a replay leaves the record. */
  diverge(claim: Claim, hold: HoldDraft): Promise<void>;
  /** Reads an operation of the claim's task; null when it left no trace. */
  find(claim: Claim, key: string): Promise<OperationRow | null>;
  /** Reads a payload of a tenant, after its digest was compared. */
  payload(tenant: string, kept: KeptPayload): Promise<JsonValue>;
}

/** Whether an operation may be performed. */
export type Admission =
  | { readonly kind: 'admitted'; readonly row: OperationRow }
  | { readonly kind: 'spent'; readonly over: SpentLimit };

/** An operation that a person is asked about. */
export interface HeldOperation {
  /** The operation in doubt. */
  readonly write: OperationWrite;
  /** The question. */
  readonly hold: HoldDraft;
  /** Whether the act of its last performance has ended. */
  readonly isSettled: boolean;
  /** Performances that left no trace of their own. */
  readonly tries: number;
  /** In whose name it is repeated at once; null when a person must answer. */
  readonly repeatedBy: string | null;
}
