import type { RunResult } from '@millforge/contracts';
import { createSteeringQueue, type RunEvent, type SteeringQueue } from '@millforge/runtime';
import type { RunHandle } from './run-handle.ts';

/**
 * A task that goes on: awaited it gives its result, iterated it gives its events as they happen.
 *
 * Events are kept for whoever began to iterate before they happened; nobody else keeps them. Pieces of a reply
 * that were not asked for yet become one, and are left out once the whole reply is there. To stop iterating does
 * not stop the run.
 */
export interface TaskRun extends Promise<RunResult>, AsyncIterable<RunEvent> {
  /**
   * Says something to the model before its next turn, also before the run has begun; false when it is over.
   *
   * @throws `runtime/invalid-message` for text that is blank or too long, and when too many wait.
   */
  send(message: string): boolean;
  /** Asks the run to end before its next turn, as cancelled; false when it is over. */
  requestStop(reason: string): boolean;
}

/** What a task is carried out with: it tells what happens, and says when its run has begun. */
export interface TaskStart {
  /** Takes an event. */
  readonly tell: (event: RunEvent) => void;
  /** Takes the run. */
  readonly begun: (run: RunHandle) => void;
}

/** Makes the task run of what carries it out. */
export function taskRun(carryOut: (start: TaskStart) => Promise<RunResult>): TaskRun {
  const listeners = new Set<Listener>();
  // What is said before the run has begun waits for it, and is refused here as the run would refuse it.
  const early = createSteeringQueue();
  let run: RunHandle | null = null;
  let isOver = false;
  const result = carryOut({
    tell(event) {
      for (const listener of listeners) listener.take(event);
    },
    begun(handle) {
      run = handle;
      const { messages, stop } = early.take() ?? { messages: [], stop: null };
      for (const message of messages) handle.send(message);
      if (stop !== null) handle.requestStop(stop);
    },
  });
  const end = (error: { readonly error: unknown } | null) => {
    isOver = true;
    for (const listener of listeners) listener.end(error);
  };
  result.then(
    () => end(null),
    (error: unknown) => end({ error }),
  );
  const speak = (say: (to: RunHandle | SteeringQueue) => unknown): boolean => {
    if (run !== null) return say(run) === true;
    if (!isOver) say(early);
    return !isOver;
  };
  return Object.assign(result, {
    send: (message: string) => speak((handle) => handle.send(message)),
    requestStop: (reason: string) => speak((handle) => handle.requestStop(reason)),
    [Symbol.asyncIterator]() {
      const listener = createListener(() => listeners.delete(listener));
      // Whoever iterates hears of a failure there.
      result.catch(() => undefined);
      if (isOver)
        result.then(
          () => listener.end(null),
          (error: unknown) => listener.end({ error }),
        );
      else listeners.add(listener);
      return listener;
    },
  });
}

interface Listener extends AsyncIterator<RunEvent, undefined> {
  take(event: RunEvent): void;
  end(error: { readonly error: unknown } | null): void;
}

/** Keeps an event for a reader that is behind; of a reply that is being written, no more than its text. */
function keep(events: RunEvent[], event: RunEvent): void {
  if (event.kind === 'model-replied') {
    const first = events.findIndex(({ kind }) => kind === 'model-wrote');
    if (first >= 0) {
      const kept = events.slice(first).filter(({ kind }) => kind !== 'model-wrote');
      events.splice(first, events.length, ...kept);
    }
  }
  if (event.kind === 'model-wrote') {
    const place = events.findLastIndex(
      (earlier) => earlier.kind === 'model-wrote' && earlier.part === event.part,
    );
    const earlier = events[place];
    if (earlier?.kind === 'model-wrote') {
      const text = event.replaces ? event.text : earlier.text + event.text;
      events[place] = { ...event, text, replaces: earlier.replaces || event.replaces };
      return;
    }
  }
  events.push(event);
}

/** One reader of the events: what it has not asked for yet is kept. */
function createListener(leave: () => void): Listener {
  let events: RunEvent[] = [];
  let ended: { readonly error: { readonly error: unknown } | null } | null = null;
  let waiting: (() => void)[] = [];
  const notify = () => {
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  };
  return {
    take(event) {
      keep(events, event);
      notify();
    },
    end(error) {
      ended ??= { error };
      notify();
    },
    async next() {
      for (;;) {
        const event = events.shift();
        if (event !== undefined) return { done: false, value: event };
        if (ended !== null) {
          const { error } = ended;
          ended = { error: null };
          if (error !== null) throw error.error;
          return { done: true, value: undefined };
        }
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
        });
      }
    },
    async return() {
      leave();
      events = [];
      ended = { error: null };
      notify();
      return { done: true, value: undefined };
    },
  };
}
