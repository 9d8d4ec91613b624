/** Carries a host's wish to stop to whatever runs at that moment. */
export interface StopSwitch {
  /** Aborts at the first stop. */
  readonly signal: AbortSignal;
  isStopped(): boolean;
  /** Stops: after what is in flight, or at once, or because the goal was cancelled. */
  stop(how: StopKind): void;
  /** Tells of stops, also of one that came before; gives the function that ends the telling. */
  onStop(listener: (how: StopKind) => void): () => void;
}

/** How an attempt is told to end; a later one is stronger. */
export type StopKind = 'soon' | 'now' | 'cancelled';

/** Makes a switch that is not thrown. */
export function createStopSwitch(): StopSwitch {
  const stopped = new AbortController();
  const listeners = new Set<(how: StopKind) => void>();
  let how: StopKind = 'soon';
  return {
    signal: stopped.signal,
    isStopped: () => stopped.signal.aborted,
    stop(next) {
      if (STRENGTH[next] > STRENGTH[how]) how = next;
      if (!stopped.signal.aborted) {
        stopped.abort(new DOMException('The run was stopped.', 'AbortError'));
      }
      for (const listener of listeners) listener(how);
    },
    onStop(listener) {
      listeners.add(listener);
      if (stopped.signal.aborted) listener(how);
      return () => void listeners.delete(listener);
    },
  };
}

const STRENGTH = { soon: 0, now: 1, cancelled: 2 } as const;
