import { type Context, createContext, Script } from 'node:vm';

/** What came of matching under a time limit. */
export type Timed<T> = { readonly inTime: true; readonly value: T } | { readonly inTime: false };

/**
 * Runs work that matches a pattern of the model or of a foreign folder, and breaks it off after `ms`.
 *
 * A pattern can backtrack for years, and no timer or signal reaches a thread that is matching. Only the
 * watchdog of `node:vm` does; it costs a thread per use, so callers match many texts at once.
 */
export function withinMatchTime<T>(work: () => T, ms: number): Timed<T> {
  const result: { made: Timed<T> } = { made: { inTime: false } };
  watched.context ??= createContext(watched.globals);
  watched.globals.work = () => {
    result.made = { inTime: true, value: work() };
  };
  try {
    CALL.runInContext(watched.context, { timeout: ms });
  } catch (error) {
    if (!isTimeout(error)) throw error;
  } finally {
    watched.globals.work = null;
  }
  return result.made;
}

/** The error comes from the other realm, so that it is no `Error` of this one. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    'code' in error &&
    error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}

const CALL = new Script('work()');
// Made once, at first use: making a context costs more than most searches.
const watched: { context: Context | null; readonly globals: { work: (() => void) | null } } = {
  context: null,
  globals: { work: null },
};
