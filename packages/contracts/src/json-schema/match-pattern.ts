/** One step of a compiled pattern; what has no `to` goes on with the next. */
export type Instruction =
  | { readonly kind: 'literal'; readonly codePoint: number }
  | { readonly kind: 'class'; readonly source: string }
  | { readonly kind: 'start' | 'end' | typeof MATCH }
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
  const kept = new Map<string, State>();
  const initial = closure([0], { program, isStart: true });
  const keep = (threads: readonly number[], isMatch: boolean): State => {
    const name = isMatch ? MATCH : threads.join();
    const known = kept.get(name);
    if (known !== undefined) return known;
    const state: State = { threads, isMatch, next: new Map() };
    if (kept.size < MAX_KEPT) kept.set(name, state);
    return state;
  };
  const first = keep(initial.threads, initial.isMatch);
  const advance = (state: State, codePoint: number): State => {
    const letter = alphabet.letterOf(codePoint);
    const known = state.next.get(letter);
    if (known !== undefined) return known;
    const moved = state.threads.filter((thread) => alphabet.isTaken(thread, letter));
    // A match may begin at every place, so the first instruction is entered again and again.
    const reached = closure([...moved.map((thread) => thread + 1), 0], { program, isStart: false });
    const next = keep(reached.threads, reached.isMatch);
    if (kept.size < MAX_KEPT) state.next.set(letter, next);
    return next;
  };
  return (text) => {
    let state = first;
    for (let at = 0; !state.isMatch && at < text.length; at++) {
      const codePoint = text.codePointAt(at) ?? 0;
      if (codePoint > 0xffff) at++;
      state = advance(state, codePoint);
      if (state.threads.length === 0 && !state.isMatch) return false;
    }
    return state.isMatch || matchesAtEnd(state, { program, isStart: text === '' });
  };
}

/** Threads that wait for a character or the end of the text, in ascending order. */
interface State {
  readonly threads: readonly number[];
  readonly isMatch: boolean;
  readonly next: Map<number, State>;
}

interface Moment {
  readonly program: readonly Instruction[];
  readonly isStart: boolean;
  readonly isEnd?: boolean;
}

/** Follows everything that takes no character. */
function closure(
  from: readonly number[],
  { program, isStart, isEnd = false }: Moment,
): { readonly threads: readonly number[]; readonly isMatch: boolean } {
  const seen = new Uint8Array(program.length);
  const threads: number[] = [];
  const pending = [...from];
  for (let thread = pending.pop(); thread !== undefined; thread = pending.pop()) {
    const instruction = program[thread];
    if (instruction === undefined || seen[thread] === 1) continue;
    seen[thread] = 1;
    if (instruction.kind === MATCH) return { threads: [], isMatch: true };
    if (instruction.kind === 'fork') pending.push(...instruction.to);
    else if (instruction.kind === 'start') {
      if (isStart) pending.push(thread + 1);
    } else if (instruction.kind === 'end' && isEnd) pending.push(thread + 1);
    else threads.push(thread);
  }
  return { threads: threads.toSorted((left, right) => left - right), isMatch: false };
}

function matchesAtEnd({ threads }: State, moment: Moment): boolean {
  return closure(threads, { ...moment, isEnd: true }).isMatch;
}

/** Sorts characters into letters: characters that every instruction treats alike. */
interface Alphabet {
  readonly letterOf: (codePoint: number) => number;
  readonly isTaken: (thread: number, letter: number) => boolean;
}

function createAlphabet(program: readonly Instruction[]): Alphabet {
  const tests = new Map<string, (codePoint: number) => boolean>();
  const names = program.map((instruction) => {
    if (instruction.kind === 'literal') {
      const { codePoint } = instruction;
      tests.set(`literal ${codePoint}`, (other) => other === codePoint);
      return `literal ${codePoint}`;
    }
    if (instruction.kind !== 'class') return null;
    const oneCharacter = new RegExp(`^${instruction.source}$`, 'u');
    tests.set(instruction.source, (other) => oneCharacter.test(String.fromCodePoint(other)));
    return instruction.source;
  });
  const known = new Map<number, number>();
  const letters = new Map<string, number>();
  const taken: ReadonlySet<string>[] = [];
  return {
    letterOf(codePoint) {
      const cached = known.get(codePoint);
      if (cached !== undefined) return cached;
      const passed = [...tests].flatMap(([name, test]) => (test(codePoint) ? [name] : []));
      const signature = passed.join('\n');
      let letter = letters.get(signature);
      if (letter === undefined) {
        letter = taken.length;
        letters.set(signature, letter);
        taken.push(new Set(passed));
      }
      if (known.size < MAX_KNOWN) known.set(codePoint, letter);
      return letter;
    },
    isTaken(thread, letter) {
      const name = names[thread];
      return typeof name === 'string' && taken[letter]?.has(name) === true;
    },
  };
}

/** Sets of threads that are remembered, which bounds the memory of one pattern. */
const MAX_KEPT = 512;
const MAX_KNOWN = 4096;
