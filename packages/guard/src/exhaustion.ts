import {
  type BudgetName,
  type GuardState,
  MISTAKES,
  type MistakeBudget,
  type MistakeCounts,
} from './guard-state.ts';

/** A budget that is used up, so that the run ends. */
export interface Exhaustion {
  /** Which one. */
  readonly budget: BudgetName;
  /** How many it allows. */
  readonly limit: number;
  /** One sentence: what was used up, and by what. */
  readonly message: string;
}

/** The budget of mistakes that is over its limit, or null; of several, the one charged most in all. */
export function findExhaustion(state: GuardState, budgets: MistakeCounts): Exhaustion | null {
  const over = MISTAKES.filter((kind) => state.consecutive[kind] > budgets[kind]);
  const budget = mostCharged(over, state);
  if (budget === null) return null;
  const limit = budgets[budget];
  return {
    budget,
    limit,
    message: `There were ${state.consecutive[budget]} ${WORDS[budget]} in a row; the limit is ${limit}.`,
  };
}

/** The end of a run that has used its model turns; names the mistake that took most of them. */
export function exhaustedIterations(state: GuardState, limit: number): Exhaustion {
  const culprit = mostCharged(
    MISTAKES.filter((kind) => state.totals[kind] > 0),
    state,
  );
  const cause =
    culprit === null ? '' : `; most often they were ${WORDS[culprit]} (${state.totals[culprit]})`;
  return {
    budget: 'iterations',
    limit,
    message: `The run used its ${limit} model turns without an accepted terminal call${cause}.`,
  };
}

function mostCharged(kinds: readonly MistakeBudget[], state: GuardState): MistakeBudget | null {
  let most: MistakeBudget | null = null;
  for (const kind of kinds) {
    if (most === null || state.totals[kind] > state.totals[most]) most = kind;
  }
  return most;
}

const WORDS: { readonly [Kind in MistakeBudget]: string } = {
  validation_retries: 'replies without a usable tool call',
  tool_errors: 'batches with a failing tool call',
  prerequisite_violations: 'batches with a call out of turn',
  premature_terminals: 'attempts to end before the required steps',
};
