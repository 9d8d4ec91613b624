import type { RunEvent } from './run-event.ts';

/** Passes events on, and keeps what the listener throws away from the operations. */
export interface Observer {
  /** Whether there was something to replay, and nothing else. */
  readonly onlyReplayed: boolean;
  /** Notes that something happened, and says whether anybody wants to hear of it. */
  hears(replayed: boolean): boolean;
  /** Tells the listener. */
  emit(event: RunEvent): void;
  /** Throws what the listener threw, between operations. */
  rethrow(): void;
}

/** Makes an observer for one run. */
export function createObserver(listener: ((event: RunEvent) => void) | undefined): Observer {
  let thrown: { readonly error: unknown } | null = null;
  let [replayed, live] = [false, false];
  const note = (isReplayed: boolean): void => {
    if (isReplayed) replayed = true;
    else live = true;
  };
  return {
    get onlyReplayed() {
      return replayed && !live;
    },
    hears(isReplayed) {
      note(isReplayed);
      return listener !== undefined;
    },
    emit(event) {
      note(event.replayed);
      try {
        listener?.(event);
      } catch (error) {
        // Thrown inside an act it would be recorded as a failure of the model or the tool.
        thrown ??= { error };
      }
    },
    rethrow() {
      if (thrown !== null) throw thrown.error;
    },
  };
}
