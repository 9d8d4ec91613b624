import { type ContextState, contextTokens } from './context-state.ts';
import type { ContextTurn } from './context-turn.ts';
import { cutResults, dropImages } from './cut-results.ts';
import { argumentValues } from './find-facts.ts';
import { findOverflow } from './find-overflow.ts';
import { squeezeReply } from './squeeze-reply.ts';
import { squeezeResults } from './squeeze-results.ts';
import { shortenSummary, summariseTurns } from './summarise-turns.ts';

/** How much a conversation may take, in estimated tokens. */
export interface ContextLimits {
  /** What a request may take in all. */
  readonly budget: number;
  /** Where each of the three rungs begins. */
  readonly thresholds: readonly [number, number, number];
  /** Latest turns that the three rungs leave alone; the very last one they always do. */
  readonly keepRecent: number;
  /** What the tools on offer take. */
  readonly tools: number;
}

/** How far a conversation was shortened: not, results cut, results replaced, turns summarised, squeezed. */
export type ContextRung = 0 | 1 | 2 | 3 | 4;

/** A conversation that fits, or the one thing in it that is too large. */
export type ContextFit =
  | { readonly kind: 'fits'; readonly state: ContextState; readonly rung: ContextRung }
  | {
      readonly kind: 'overflow';
      /** What is too large: `the task`, `the schemas of the tools`, … */
      readonly item: string;
      /** Its estimated tokens. */
      readonly tokens: number;
    };

/**
 * Shortens a conversation until it fits, one rung after another, whole turns only.
 *
 * Each rung begins where the one before has left more than its threshold. A conversation that was
 * shortened and is given again comes back as it is. What the model has not read yet, the results of the
 * last turn, is touched by the last rung alone.
 */
export function fitContext(state: ContextState, limits: ContextLimits): ContextFit {
  const [first, second, third] = limits.thresholds;
  let current = state;
  let rung: ContextRung = 0;
  const step = (next: ContextState, reached: ContextRung): void => {
    if (!isSame(current, next)) rung = reached;
    current = next;
  };
  const size = () => contextTokens(current) + limits.tools;
  if (size() >= first) step(withoutImages(current, eligible(current.turns, limits.keepRecent)), 1);
  if (size() >= first) step(cutTurns(current, 1, limits.keepRecent), 1);
  if (size() >= second) step(cutTurns(current, 2, limits.keepRecent), 2);
  if (size() >= third) step(summarised(current, limits.keepRecent), 3);
  if (size() <= limits.budget) return { kind: 'fits', state: current, rung };
  const squeezed = squeeze(current, limits);
  if (squeezed !== null) return { kind: 'fits', state: squeezed, rung: 4 };
  return { kind: 'overflow', ...findOverflow(current, limits.tools) };
}

/** Whether two states say the same to the model. */
function isSame(a: ContextState, b: ContextState): boolean {
  if (a.summary !== b.summary || a.turns.length !== b.turns.length) return false;
  return a.turns.every((turn, index) => turn.messages === b.turns[index]?.messages);
}

function eligible(turns: readonly ContextTurn[], keepRecent: number): number {
  return Math.max(0, turns.length - Math.max(1, keepRecent));
}

function cutTurns(state: ContextState, level: 1 | 2, keepRecent: number): ContextState {
  const end = eligible(state.turns, keepRecent);
  if (state.turns.slice(0, end).every((turn) => turn.level >= level)) return state;
  const turns = [...state.turns];
  // Backwards, so that what later turns used is known at each one.
  const usedLater = new Set<string>();
  for (let at = turns.length - 1; at >= 0; at -= 1) {
    const turn = turns[at];
    if (turn === undefined) continue;
    if (at < end) turns[at] = cutResults(turn, level, usedLater);
    if (usedLater.size < MAX_USED) for (const value of argumentValues(turn)) usedLater.add(value);
  }
  return { ...state, turns };
}

/** The earliest turns without their images, which take the most and are worth the least later on. */
function withoutImages(state: ContextState, end: number): ContextState {
  const turns = state.turns.map((turn, at) => (at < end ? dropImages(turn) : turn));
  return turns.every((turn, at) => turn === state.turns[at]) ? state : { ...state, turns };
}

function summarised(state: ContextState, keepRecent: number): ContextState {
  const end = eligible(state.turns, keepRecent);
  if (end === 0) return state;
  return {
    ...state,
    summary: summariseTurns(state.summary, state.turns.slice(0, end)),
    turns: state.turns.slice(end),
  };
}

/** The last rung: recent turns too, the summary, the results of the last turn, its reply. */
function squeeze(state: ContextState, limits: ContextLimits): ContextState | null {
  const room = limits.budget - limits.tools;
  let current = state;
  for (const shorten of SQUEEZES) {
    current = shorten(current);
    if (contextTokens(current) <= room) return current;
  }
  const last = current.turns.at(-1);
  if (last === undefined) return null;
  const left = room - (contextTokens(current) - last.tokens);
  const squeezed = squeezeResults(last, left) ?? squeezeResults(squeezeReply(last), left);
  return squeezed === null
    ? null
    : { ...current, turns: [...current.turns.slice(0, -1), squeezed] };
}

const SQUEEZES: readonly ((state: ContextState) => ContextState)[] = [
  (state) => withoutImages(state, state.turns.length - 1),
  (state) => cutTurns(state, 1, 1),
  (state) => cutTurns(state, 2, 1),
  (state) => summarised(state, 1),
  (state) => shortened(state, 24),
  (state) => shortened(state, 0),
  (state) => withoutImages(state, state.turns.length),
];

function shortened(state: ContextState, lines: number): ContextState {
  const { summary } = state;
  return summary === null ? state : { ...state, summary: shortenSummary(summary, lines) };
}

const MAX_USED = 512;
