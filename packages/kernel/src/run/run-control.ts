import { setMaxListeners } from 'node:events';
import {
  type Clock,
  type Failure,
  type Operation,
  operationSuspended,
  type SuspendReason,
  unreachable,
} from '@millforge/contracts';

/** Why nothing more is performed. */
export interface Closing {
  readonly reason: SuspendReason;
  readonly failure: Failure | null;
  /** What could not be reached. */
  readonly kind?: Operation['kind'];
}

/** Stops, deadlines and lost leases of one attempt, as the log and the run see them. */
export interface RunControl {
  /** Aborts when the program must end. */
  readonly programSignal: AbortSignal;
  /** Aborts when acts must end: a stop at once, the deadline, a lost lease, a cancellation. */
  readonly actSignal: AbortSignal;
  /** Aborts with every stop: for acts that only ask a model, which can be asked again and may never answer. */
  readonly askSignal: AbortSignal;
  /** Aborts when not even looking is wanted any more. */
  readonly endSignal: AbortSignal;
  /** Waits for work, but no longer than the grace of acts that were told to end. */
  untilAbandoned<T>(
    work: Promise<T>,
  ): Promise<{ readonly kind: 'ended'; readonly value: T } | { readonly kind: 'abandoned' }>;
  /** Why nothing more is performed; null while the run goes on. */
  closing(): Closing | null;
  /** Whether acts were told to end at once. */
  isAborted(): boolean;
  /** Ends the run after the operations in flight; the first reason stays, a stronger one replaces it. */
  close(reason: SuspendReason, failure?: Failure, kind?: Operation['kind']): void;
  /** Ends acts as well. */
  abort(reason: SuspendReason): void;
  /** Ends the run because the store failed. */
  fail(error: unknown): void;
  /** The store's failure, if any. */
  fault(): { readonly error: unknown } | null;
  /** Milliseconds under the lease after which live operations are refused. */
  readonly limitMs: number;
  /** Milliseconds under the lease so far. */
  readonly elapsedMs: () => number;
  /** Whether live operations are refused. */
  isPastDeadline(): boolean;
  /** Counts an operation in, and gives the function that counts it out. */
  enter(): () => void;
  /** Resolves when no operation is in flight. */
  idle(): Promise<void>;
  /** Frees timers; called once, when the attempt has ended. */
  end(): void;
}

/** Begins to count the time of an attempt. */
export function createRunControl(options: {
  readonly clock: Clock;
  readonly elapsedMs: number;
  readonly limitMs: number;
  readonly graceMs: number;
}): RunControl {
  const { clock } = options;
  const program = new AbortController();
  const acts = new AbortController();
  const asks = new AbortController();
  const end = new AbortController();
  // Every act in flight listens: a reply of a dozen calls is no leak to warn of.
  setMaxListeners(0, program.signal, acts.signal, asks.signal, end.signal);
  const startedAt = clock.monotonicMs();
  let closing: Closing | null = null;
  let fault: { readonly error: unknown } | null = null;
  let inFlight = 0;
  let waiting: (() => void)[] = [];
  let isAbandoned = false;
  const waitingForWork = new Set<() => void>();
  const giveUp = (): void => {
    isAbandoned = true;
    for (const leave of waitingForWork) leave();
    waitingForWork.clear();
  };

  const elapsedMs = (): number => Math.round(options.elapsedMs + clock.monotonicMs() - startedAt);
  const after = (ms: number, then: () => void): void => {
    clock.delay(ms, end.signal).then(then, () => undefined);
  };
  const endActs = (reason: unknown): void => {
    if (acts.signal.aborted) return;
    acts.abort(reason);
    asks.abort(reason);
    after(options.graceMs, giveUp);
  };
  const endProgram = (): void => {
    if (closing !== null && inFlight === 0 && !program.signal.aborted) {
      program.abort(operationSuspended(closing.reason));
    }
  };

  after(Math.max(0, options.limitMs - options.elapsedMs), () =>
    endActs(new DOMException('The deadline has passed.', 'TimeoutError')),
  );

  return {
    programSignal: program.signal,
    actSignal: acts.signal,
    askSignal: asks.signal,
    endSignal: end.signal,
    untilAbandoned(work) {
      // No common promise: whatever waits for one stays in memory as long as it does.
      return new Promise((resolve, reject) => {
        const leave = (): void => resolve({ kind: 'abandoned' });
        if (isAbandoned) leave();
        else waitingForWork.add(leave);
        work.then(
          (value) => {
            waitingForWork.delete(leave);
            resolve({ kind: 'ended', value });
          },
          (error: unknown) => {
            waitingForWork.delete(leave);
            reject(error);
          },
        );
      });
    },
    closing: () => closing,
    isAborted: () => closing !== null && acts.signal.aborted,
    close(reason, failure, kind) {
      if (closing === null || rank(reason) > rank(closing.reason)) {
        closing = { reason, failure: failure ?? null, ...(kind === undefined ? {} : { kind }) };
      }
      if (reason === 'stopped') asks.abort(operationSuspended(reason));
      endProgram();
    },
    abort(reason) {
      if (closing === null || rank(reason) > rank(closing.reason)) {
        closing = { reason, failure: null };
      }
      const suspended = operationSuspended(closing.reason);
      endActs(suspended);
      if (!program.signal.aborted) program.abort(suspended);
    },
    fail(error) {
      fault ??= { error };
      closing ??= { reason: 'stopped', failure: null };
      endProgram();
    },
    fault: () => fault,
    limitMs: options.limitMs,
    elapsedMs,
    isPastDeadline: () => elapsedMs() >= options.limitMs,
    enter() {
      inFlight += 1;
      let isIn = true;
      return () => {
        if (!isIn) return;
        isIn = false;
        inFlight -= 1;
        if (inFlight > 0) return;
        for (const wake of waiting) wake();
        waiting = [];
        endProgram();
      };
    },
    idle() {
      if (inFlight === 0) return Promise.resolve();
      return new Promise((resolve) => waiting.push(resolve));
    },
    end() {
      end.abort(new DOMException('The attempt has ended.', 'AbortError'));
      giveUp();
    },
  };
}

/** What a person or another process decided outweighs what this process found. */
function rank(reason: SuspendReason): number {
  switch (reason) {
    case 'stopped':
      return 0;
    case 'unavailable':
      return 1;
    case 'held':
      return 2;
    case 'lease-lost':
      return 3;
    case 'cancelled':
      return 4;
    default:
      return unreachable(reason, 'reason');
  }
}
