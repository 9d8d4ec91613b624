import type { Clock } from '@millforge/contracts';
import type { KernelStore } from '../store/kernel-store.ts';
import { ATTEMPT_LAWS } from './attempt-laws.ts';
import { CLAIM_LAWS } from './claim-laws.ts';
import { DECISION_LAWS } from './decision-laws.ts';
import { GOAL_LAWS } from './goal-laws.ts';
import { OPERATION_LAWS } from './operation-laws.ts';
import { OWNER_LAWS } from './owner-laws.ts';
import { lawClock, storeHands } from './store-hands.ts';
import type { StoreLaw } from './store-law.ts';
import { TRAIL_LAWS } from './trail-laws.ts';

/** A fresh, empty store under test. */
export interface KernelStoreSubject {
  /** The store. */
  readonly store: KernelStore;
  /** Another handle on the same data, as a second process has one. */
  readonly another: () => Promise<KernelStore>;
  /** Closes every handle and removes the data. */
  readonly close: () => Promise<void>;
}

/** What the suite is run with. */
export interface KernelStoreSuite {
  /** Registers one test, as `test` of vitest and of `node:test` do. */
  readonly test: (title: string, run: () => Promise<void>) => unknown;
  /** Makes an empty store that tells the time by this clock. */
  readonly createStore: (options: { readonly clock: Clock }) => Promise<KernelStoreSubject>;
}

/**
 * Holds a store of a kernel to everything that a kernel relies on.
 *
 * The laws speak of documents and transactions of the domain only; a store on any database can be written against them.
 * Assertions throw `testing/assertion`. What a law cannot show, that a commit survives the loss of power, is left to tests
 * of the store itself.
 */
export function kernelStoreConformance({ test, createStore }: KernelStoreSuite): void {
  for (const { title, holds } of STORE_LAWS) {
    test(`a kernel store ${title}`, async () => {
      const clock = lawClock();
      const subjects: KernelStoreSubject[] = [];
      const create = async (): Promise<KernelStoreSubject> => {
        const subject = await createStore({ clock });
        subjects.push(subject);
        return subject;
      };
      try {
        const { store, another } = await create();
        await holds(storeHands(store, clock), {
          another,
          fresh: async () => storeHands((await create()).store, clock),
        });
      } finally {
        for (const subject of subjects) await subject.close();
      }
    });
  }
}

/** All laws, in the order of a goal's life. */
const STORE_LAWS: readonly StoreLaw[] = [
  ...OWNER_LAWS,
  ...GOAL_LAWS,
  ...ATTEMPT_LAWS,
  ...CLAIM_LAWS,
  ...OPERATION_LAWS,
  ...DECISION_LAWS,
  ...TRAIL_LAWS,
];
