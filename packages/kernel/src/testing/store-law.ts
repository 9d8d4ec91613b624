import type { KernelStore } from '../store/kernel-store.ts';
import type { StoreHands } from './store-hands.ts';

/** One thing that every store must do. */
export interface StoreLaw {
  /** What it does, as a sentence that begins with the store. */
  readonly title: string;
  /** Tries it; throws when it does not. */
  readonly holds: (
    hands: StoreHands,
    more: {
      /** Another handle on the same data. */
      readonly another: () => Promise<KernelStore>;
      /** A store of its own. */
      readonly fresh: () => Promise<StoreHands>;
    },
  ) => Promise<void>;
}
