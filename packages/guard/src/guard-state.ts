import type { ObservedLimitName } from './observed-usage.ts';

/** Everything that a run can use up. */
export type BudgetName = keyof MistakeCounts | 'iterations' | ObservedLimitName;

/** One number for each kind of mistake. */
export interface MistakeCounts {
  /** Replies without a usable call. */
  readonly validation_retries: number;
  /** Batches with a failing call or unusable arguments. */
  readonly tool_errors: number;
  /** Batches with an unmet prerequisite. */
  readonly prerequisite_violations: number;
  /** Batches that end before the required steps. */
  readonly premature_terminals: number;
}

/** The kinds of mistakes. */
export type MistakeBudget = keyof MistakeCounts;

/** The kinds of mistakes; of several that weigh the same the first one ends the run. */
export const MISTAKES: readonly MistakeBudget[] = [
  'premature_terminals',
  'prerequisite_violations',
  'tool_errors',
  'validation_retries',
];

/** How many mistakes have been made; frozen, never changed in place. */
export interface GuardState {
  /** Replies inspected. */
  readonly replies: number;
  /** Mistakes in a row, by kind. */
  readonly consecutive: MistakeCounts;
  /** Mistakes since the start, by kind. */
  readonly totals: MistakeCounts;
  /** What has been asked in vain since the last reply that was taken; null when nothing was. */
  readonly asked: AskedInVain | null;
}

/** Questions that stand between the last reply that was taken and the next one. */
export interface AskedInVain {
  /** The first text that was not taken; null when it was none. */
  readonly firstText: string | null;
  /** Replies that announced an action. */
  readonly announcements: number;
  /** Replies that were cut inside a call. */
  readonly cuts: number;
}

/** The state before the first reply. */
export const initialGuardState: GuardState = Object.freeze({
  replies: 0,
  consecutive: counts(() => 0),
  totals: counts(() => 0),
  asked: null,
});

/** The state with one more mistake of each given kind. */
export function chargeMistakes(state: GuardState, kinds: readonly MistakeBudget[]): GuardState {
  const more = (from: MistakeCounts): MistakeCounts =>
    counts((kind) => from[kind] + (kinds.includes(kind) ? 1 : 0));
  return Object.freeze({
    ...state,
    consecutive: more(state.consecutive),
    totals: more(state.totals),
  });
}

/** The state in which no mistake of the given kinds stands before the next reply. */
export function forgiveMistakes(state: GuardState, kinds: readonly MistakeBudget[]): GuardState {
  if (kinds.every((kind) => state.consecutive[kind] === 0)) return state;
  return Object.freeze({
    ...state,
    consecutive: counts((kind) => (kinds.includes(kind) ? 0 : state.consecutive[kind])),
  });
}

/** The state after one more reply that was not taken, and what it was. */
export function noteAsked(
  state: GuardState,
  asked: { readonly text: string | null; readonly reason: string },
): GuardState {
  const before = state.asked ?? { firstText: asked.text, announcements: 0, cuts: 0 };
  return Object.freeze({
    ...state,
    asked: Object.freeze({
      ...before,
      announcements: before.announcements + (asked.reason === 'announcement' ? 1 : 0),
      cuts: before.cuts + (asked.reason === 'cut' ? 1 : 0),
    }),
  });
}

/** The state after text that ends a turn: what comes next is somebody's new message. */
export function noteEnded(state: GuardState): GuardState {
  return noteTaken(forgiveMistakes(state, ['tool_errors']));
}

/** The state after a reply that was taken. */
export function noteTaken(state: GuardState): GuardState {
  const forgiven = forgiveMistakes(state, ['validation_retries']);
  return forgiven.asked === null ? forgiven : Object.freeze({ ...forgiven, asked: null });
}

function counts(of: (kind: MistakeBudget) => number): MistakeCounts {
  // Every kind stands in the list, so no count is missing.
  const all = Object.fromEntries(MISTAKES.map((kind) => [kind, of(kind)])) as {
    [Kind in MistakeBudget]: number;
  };
  return Object.freeze(all);
}
