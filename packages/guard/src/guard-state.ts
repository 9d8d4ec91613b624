/** The budgets of consecutive mistakes. */
export type MistakeBudget =
  | 'validation_retries'
  | 'tool_errors'
  | 'prerequisite_violations'
  | 'premature_terminals';

/** Everything that a run can use up. */
export type BudgetName = MistakeBudget | 'iterations';

/** How many mistakes of each kind have happened; frozen, and never changed in place. */
export interface GuardState {
  /** Replies inspected. */
  readonly replies: number;
  /** Mistakes in a row, by kind. */
  readonly consecutive: MistakeCounts;
  /** Mistakes since the start, by kind. */
  readonly totals: MistakeCounts;
}

/** One number for each kind of mistake. */
export type MistakeCounts = { readonly [Name in MistakeBudget]: number };

/** How often each mistake may happen in a row: N are allowed, the next one ends the run. */
export type GuardBudgets = MistakeCounts;

/** The state before the first reply. */
export const initialGuardState: GuardState = Object.freeze({
  replies: 0,
  consecutive: noMistakes(),
  totals: noMistakes(),
});

function noMistakes(): MistakeCounts {
  return Object.freeze({
    validation_retries: 0,
    tool_errors: 0,
    prerequisite_violations: 0,
    premature_terminals: 0,
  });
}
