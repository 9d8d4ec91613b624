import type { MistakeCounts } from './guard-state.ts';
import type { SnapReach } from './names/snap-name.ts';

/** How replies are judged. */
export interface GuardPolicy {
  /**
   * `strict` takes no reply without a call: for loops that end with a terminal call. `auto` takes ordinary
   * text as an answer and asks again only after what failed or was left undone: for chat and other people's
   * loops. `off` passes everything on.
   */
  readonly mode: 'strict' | 'auto' | 'off';
  /** Mistakes allowed in a row, by kind: N are allowed, the next one ends the run, or in `auto` the asking. */
  readonly budgets: MistakeCounts;
  /** Names of the tools that end the run, for the texts that ask the model again. */
  readonly terminals: readonly string[];
  /** Calls of one reply that are looked at, the rest is left out; default 64. */
  readonly maxCalls?: number;
  /** Whether calls that the model wrote into its text are taken; default true. */
  readonly rescue?: boolean;
  /** How far the name of a call may be from the tool it is taken for; default `typos`. */
  readonly snap?: SnapReach;
  /** Whether `auto` asks once when a reply announces an action and does nothing; default true. */
  readonly announcements?: boolean;
  /** Whether arguments that no schema knows are left out instead of refused; default false. */
  readonly dropUnknownArguments?: boolean;
  /** Tools of which a call that repeats an earlier one of the same reply is not performed; default none. */
  readonly collapseDuplicates?: readonly string[];
  /** Name of the tool that stands for talking, as `respondTool` offers it; default none. */
  readonly respond?: string;
  /** Whether the model was told to write its calls as text, see `toPromptMessages`; default false. */
  readonly textCalls?: boolean;
}

/** Ordinary text is an answer; two questions in a row, then what there is. */
export const defaultPolicy: GuardPolicy = Object.freeze({
  mode: 'auto',
  budgets: Object.freeze({
    validation_retries: 2,
    tool_errors: 2,
    prerequisite_violations: 2,
    premature_terminals: 3,
  }),
  terminals: Object.freeze([]),
});
