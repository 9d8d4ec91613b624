import type { MistakeCounts } from './guard-state.ts';

/** How replies are judged. */
export interface GuardPolicy {
  /** `strict` takes no reply without a call: for loops that end with a terminal call. */
  readonly mode: 'strict';
  /** Mistakes allowed in a row, by kind: N are allowed, the next one ends the run. */
  readonly budgets: MistakeCounts;
  /** Names of the tools that end the run, for the texts that ask the model again. */
  readonly terminals: readonly string[];
}
