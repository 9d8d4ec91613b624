import { toolFault } from '../tool-faults.ts';

/**
 * Waits for the turns on files and gives the function that ends them: changes of one file follow each
 * other, those of different files do not wait. One queue per process.
 *
 * @throws `tool/cancelled` when the signal aborts first; the places are given up.
 */
export async function takeTurns(keys: readonly string[], signal: AbortSignal): Promise<() => void> {
  const joined = [...new Set(keys)].map(join);
  const release = (): void => joined.forEach((place) => place.release());
  const waiting = new AbortController();
  // Everybody queues for all files in one step, so that no two wait for each other.
  const first = await Promise.race([
    Promise.all(joined.map(({ turn }) => turn)).then(() => 'turn' as const),
    abortOf(signal, waiting.signal),
  ]);
  waiting.abort();
  if (first === 'turn' && !signal.aborted) return release;
  release();
  throw toolFault('cancelled', 'the call was stopped while it waited for another one.');
}

function join(key: string): { readonly turn: Promise<void>; readonly release: () => void } {
  const turn = TURNS.get(key) ?? Promise.resolve();
  const settlers: (() => void)[] = [];
  const gone = new Promise<void>((settle) => settlers.push(settle));
  const last = turn.then(() => gone);
  TURNS.set(key, last);
  void last.then(() => {
    if (TURNS.get(key) === last) TURNS.delete(key);
  });
  return { turn, release: () => settlers.forEach((settle) => settle()) };
}

/** Listens until `until` aborts. */
function abortOf(signal: AbortSignal, until: AbortSignal): Promise<'aborted'> {
  return new Promise((settle) => {
    if (signal.aborted) settle('aborted');
    else signal.addEventListener('abort', () => settle('aborted'), { once: true, signal: until });
  });
}

// Module state on purpose: two tool sets of one process write to the same disk.
const TURNS = new Map<string, Promise<void>>();
