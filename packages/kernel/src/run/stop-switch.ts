/** Carries a host's wish to stop to whatever the run is doing at that moment. */
export interface StopSwitch {
  /** Aborts at the first stop. */
  readonly signal: AbortSignal;
  isStopped(): boolean;
  /** Stops: after what is in flight, or at once. */
  stop(now: boolean): void;
  /** Tells an attempt that its goal was cancelled. */
  cancel(): void;
  /** Tells an attempt of stops, also of one that came before it began. */
  onStop(listener: StopListener): void;
}

/** How an attempt is told to end. */
export type StopListener = (how: 'soon' | 'now' | 'cancelled') => void;

/** Makes a switch that is not thrown. */
export function createStopSwitch(): StopSwitch {
  const stopped = new AbortController();
  let how: Parameters<StopListener>[0] = 'soon';
  let listener: StopListener | null = null;
  const end = (next: typeof how): void => {
    if (how !== 'cancelled' && next !== 'soon') how = next;
    if (!stopped.signal.aborted) {
      stopped.abort(new DOMException('The run was stopped.', 'AbortError'));
    }
    listener?.(how);
  };
  return {
    signal: stopped.signal,
    isStopped: () => stopped.signal.aborted,
    stop: (now) => end(now ? 'now' : 'soon'),
    cancel: () => end('cancelled'),
    onStop(next) {
      listener = next;
      if (stopped.signal.aborted) next(how);
    },
  };
}
