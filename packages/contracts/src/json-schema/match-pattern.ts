/** One step of a compiled pattern; what has no `to` goes on with the next. */
export type Instruction =
  /** Takes one character, judged by the engine: a class, an escape, or the character itself as an escape. */
  | { readonly kind: 'class'; readonly source: string }
  | { readonly kind: 'start' | 'end' | typeof MATCH }
  /** Goes on at several places; they are given by their distance. */
  | { readonly kind: 'fork'; readonly to: readonly number[] };

/** The kind of the last instruction. */
export const MATCH = 'match';

/**
 * Makes a test that runs a program over a text once, with all of its threads side by side.
 *
 * Sets of threads become states of an automaton as they are met, so that most characters cost one look-up. A program
 * that meets more sets than are kept costs one pass over its instructions per character; it never goes back.
 */
export function createMatcher(program: readonly Instruction[]): (text: string) => boolean {
  const alphabet = createAlphabet(program);
  const follow = createFollower(program);
  const kept = new Map<string, State>();
  const initial = follow([0], 'start');
  const advance = (state: State, codePoint: number): State => {
    const letter = alphabet.letterOf(codePoint);
    const known = state.next.get(letter);
    if (known !== undefined) return known;
    // A match may begin at every place, so the first instruction is entered again and again.
    const entered = [0];
    for (const thread of state.threads) {
      if (alphabet.isTaken(thread, letter)) entered.push(thread + 1);
    }
    const reached = follow(entered, null);
    if (kept.size === MAX_KEPT) return reached;
    const name = reached.isMatch ? MATCH : reached.threads.toSorted(ascending).join();
    const next = kept.get(name) ?? reached;
    kept.set(name, next);
    state.next.set(letter, next);
    return next;
  };
  return (text) => {
    let state = initial;
    for (let at = 0; !state.isMatch && at < text.length; at++) {
      const codePoint = text.codePointAt(at) ?? 0;
      if (codePoint > 0xffff) at++;
      state = advance(state, codePoint);
      if (state.threads.length === 0) return state.isMatch;
    }
    return state.isMatch || follow(state.threads, text === '' ? 'both' : 'end').isMatch;
  };
}

/** Threads that wait for a character or for the end of the text. */
interface State {
  readonly threads: readonly number[];
  readonly isMatch: boolean;
  /** States by letter, as far as they were met. */
  readonly next: Map<number, State>;
}

/** Which ends of the text a place is. */
type Moment = 'start' | 'end' | 'both' | null;

/** Makes the function that follows everything that takes no character. */
function createFollower(
  program: readonly Instruction[],
): (from: readonly number[], moment: Moment) => State {
  // One mark per instruction, good for one round, so that a round clears nothing.
  const marks = new Uint32Array(program.length);
  let round = 0;
  return (from, moment) => {
    if (++round > 0xffff_ffff) {
      marks.fill(0);
      round = 1;
    }
    const threads: number[] = [];
    const pending = [...from];
    for (let thread = pending.pop(); thread !== undefined; thread = pending.pop()) {
      const instruction = program[thread];
      if (instruction === undefined || marks[thread] === round) continue;
      marks[thread] = round;
      switch (instruction.kind) {
        case MATCH:
          return { threads: [], isMatch: true, next: new Map() };
        case 'fork':
          for (const distance of instruction.to) pending.push(thread + distance);
          break;
        case 'start':
        case 'end':
          if (moment === 'both' || moment === instruction.kind) pending.push(thread + 1);
          else if (instruction.kind === 'end') threads.push(thread);
          break;
        case 'class':
        default:
          threads.push(thread);
      }
    }
    return { threads, isMatch: false, next: new Map() };
  };
}

/** Sorts characters into letters: characters that every instruction treats alike. */
interface Alphabet {
  readonly letterOf: (codePoint: number) => number;
  readonly isTaken: (thread: number, letter: number) => boolean;
}

function createAlphabet(program: readonly Instruction[]): Alphabet {
  const sets = new Map<string, number>();
  const tests: RegExp[] = [];
  const setOf = program.map((instruction) => {
    if (instruction.kind !== 'class') return -1;
    const { source } = instruction;
    const set = sets.get(source) ?? tests.push(new RegExp(`^${source}$`, 'u')) - 1;
    sets.set(source, set);
    return set;
  });
  const known = new Map<number, number>();
  const letters = new Map<string, number>();
  const members: (readonly boolean[])[] = [];
  return {
    letterOf(codePoint) {
      const cached = known.get(codePoint);
      if (cached !== undefined) return cached;
      const character = String.fromCodePoint(codePoint);
      const taken = tests.map((test) => test.test(character));
      const name = taken.map(Number).join('');
      const letter = letters.get(name) ?? members.push(taken) - 1;
      letters.set(name, letter);
      if (known.size < MAX_KNOWN) known.set(codePoint, letter);
      return letter;
    },
    isTaken: (thread, letter) => members[letter]?.[setOf[thread] ?? -1] === true,
  };
}

function ascending(left: number, right: number): number {
  return left - right;
}

/** Sets of threads that are remembered, which bounds the memory of one pattern. */
const MAX_KEPT = 512;
const MAX_KNOWN = 4096;
