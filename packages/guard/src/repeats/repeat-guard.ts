import { canonicalJson, type JsonObject } from '@millforge/contracts';

/** The last calls and what came of them; plain, frozen, handed in and out. */
export interface RepeatState {
  /** One entry per performed call, the newest last; no more than are compared. */
  readonly recent: readonly PerformedCall[];
}

/** One performed call, as far as it can repeat itself. */
export interface PerformedCall {
  /** Name and arguments in one text. */
  readonly call: string;
  /** What the model was told of it. */
  readonly result: string;
}

/** When the same again is remarked on, and when it is refused. */
export interface RepeatLimits {
  /** Equal rounds after which the model is told; default 2. */
  readonly warnAfter?: number;
  /** Equal rounds after which the next one is not performed; default 3. */
  readonly blockAfter?: number;
  /** Tools that may repeat themselves, such as one that waits; default none. */
  readonly exempt?: readonly string[];
}

/** A call about to be made. */
export interface RepeatableCall {
  /** Name of the tool. */
  readonly name: string;
  /** Its arguments. */
  readonly arguments: JsonObject;
  /** What tells it from other calls, as `repeatKey` gives it; made of the two where it is absent. */
  readonly key?: string;
}

/** What is said about a repetition; `message` goes to the model on the tool channel. */
export type RepeatVerdict =
  | { readonly kind: 'fresh' }
  | { readonly kind: 'warn' | 'block'; readonly rounds: number; readonly message: string };

/** The state in which nothing has been called. */
export const initialRepeatState: RepeatState = Object.freeze({ recent: Object.freeze([]) });

/**
 * Judges a call by whether it goes on with a loop: the same calls with the same results, over and over.
 *
 * A loop is one call or up to three in turn. A result that differs, or any other call between, makes it none:
 * a test that is run again after an edit is no repetition. `block` is to be answered without performing it;
 * `warn` says what to append to the result.
 */
export function checkRepeat(
  state: RepeatState,
  call: RepeatableCall,
  limits: RepeatLimits = {},
): RepeatVerdict {
  if (limits.exempt?.includes(call.name) === true) return FRESH;
  const { recent } = state;
  const key = repeatKey(call);
  // Any call of a loop goes on with it, the next one may have been blocked before; so the loop is at least as
  // long as the way back to the same call.
  for (let period = wayBack(recent, key); period <= MAX_PERIOD; period++) {
    const rounds = roundsOf(recent, period);
    if (rounds >= (limits.blockAfter ?? BLOCK_AFTER)) {
      return { kind: 'block', rounds, message: blocked(call.name, { rounds, period }) };
    }
    if (rounds >= (limits.warnAfter ?? WARN_AFTER)) {
      return { kind: 'warn', rounds, message: warned(call.name, { rounds, period }) };
    }
  }
  return FRESH;
}

/** The state after a call was performed and its result told. */
export function recordResult(
  state: RepeatState,
  call: RepeatableCall,
  result: string,
): RepeatState {
  const { length } = state.recent;
  const recent: PerformedCall[] = [];
  // In a loop, for the engine has no fast way to slice or spread an array that is frozen.
  for (let at = Math.max(0, length + 1 - MAX_RECENT); at < length; at++) {
    const earlier = state.recent[at];
    if (earlier !== undefined) recent.push(earlier);
  }
  recent.push(Object.freeze({ call: repeatKey(call), result }));
  return Object.freeze({ recent: Object.freeze(recent) });
}

/** What tells a call from others: name and arguments in one text, equal for equal arguments. */
export function repeatKey(call: RepeatableCall): string {
  return call.key ?? `${call.name} ${canonicalJson(call.arguments, { newline: false })}`;
}

/** How many calls back the same call was made; infinite when it was not lately. */
function wayBack(recent: readonly PerformedCall[], key: string): number {
  const most = Math.min(MAX_PERIOD, recent.length);
  for (let back = 1; back <= most; back++) {
    if (recent[recent.length - back]?.call === key) return back;
  }
  return Number.POSITIVE_INFINITY;
}

/** How often the last calls stand there one after another, with equal results each time. */
function roundsOf(recent: readonly PerformedCall[], period: number): number {
  let rounds = 1;
  for (;;) {
    const from = recent.length - period * (rounds + 1);
    if (from < 0) return rounds;
    for (let place = 0; place < period; place++) {
      const earlier = recent[from + place];
      const later = recent[from + period + place];
      if (earlier?.call !== later?.call || earlier?.result !== later?.result) return rounds;
    }
    rounds += 1;
  }
}

interface Loop {
  readonly rounds: number;
  readonly period: number;
}

function warned(name: string, { rounds, period }: Loop): string {
  const what = period === 1 ? 'This call' : `This round of ${period} calls`;
  return `[repeated] ${what} has had the same result ${rounds} times. Calling ${name} again will not change it: use what you have, or do something else.`;
}

function blocked(name: string, { rounds, period }: Loop): string {
  const what = period === 1 ? 'the same call' : `the same round of ${period} calls`;
  return `[repeated] ${name} was not performed: ${what} has had the same result ${rounds} times. Do something else.`;
}

const FRESH: RepeatVerdict = Object.freeze({ kind: 'fresh' });
const WARN_AFTER = 2;
const BLOCK_AFTER = 3;
const MAX_PERIOD = 3;
/** Enough for the longest loop at generous limits. */
const MAX_RECENT = 30;
