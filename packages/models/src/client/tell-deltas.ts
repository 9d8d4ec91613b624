import type { ModelDelta } from '@millforge/contracts';

/** Passes pieces of a reply on, and keeps what the listener throws away from the exchange. */
export interface ToldDeltas {
  /** Tells the listener; `restart` only after it has heard something. */
  readonly tell: (delta: ModelDelta) => void;
  /** Throws what the listener threw, when the exchange is over. */
  readonly rethrow: () => void;
}

/** Makes the way to a listener, or to nobody. */
export function tellDeltas(listener: ((delta: ModelDelta) => void) | undefined): ToldDeltas {
  let thrown: { readonly error: unknown } | null = null;
  let hasHeard = false;
  return {
    tell(delta) {
      if (listener === undefined || thrown !== null) return;
      if (delta.kind === 'restart' && !hasHeard) return;
      hasHeard = delta.kind !== 'restart';
      try {
        listener(delta);
      } catch (error) {
        // Inside the exchange it would count as a broken connection.
        thrown = { error };
      }
    },
    rethrow() {
      if (thrown !== null) throw thrown.error;
    },
  };
}
