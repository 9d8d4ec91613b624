import { type Clock, MillforgeError } from '@millforge/contracts';
import type { OwnerLocks } from '../owner/owner-lock.ts';
import { createStore } from '../store/create-store.ts';
import type { KernelStore } from '../store/kernel-store.ts';
import type { StoreGround } from '../store/store-parts.ts';
import { createMemoryTables, type MemoryTables } from './memory-tables.ts';

/** A store that forgets everything with the last reference to it. */
export interface MemoryStore {
  /** The store. */
  readonly store: KernelStore;
  /** Another handle on the same data, as a second process has one. */
  readonly another: () => KernelStore;
}

/**
 * Makes a store in memory, for tests of what stands on a store.
 *
 * It passes the same laws as the one in a file, and promises nothing about a crash. Every question looks through all rows
 * of a table, so it is meant for dozens of goals.
 */
export function createMemoryStore({ clock }: { readonly clock: Clock }): MemoryStore {
  const tables = createMemoryTables();
  const living = new Set<string>();
  const another = (): KernelStore => {
    return createStore({ db: openGround(tables), clock, locks: createLocks(living) });
  };
  return { store: another(), another };
}

/** One handle. Every call waits for its turn first, as a call of a database does. */
function openGround(tables: MemoryTables): StoreGround {
  let isClosed = false;
  const transact: StoreGround['read'] = async (work) => {
    await Promise.resolve();
    if (isClosed) {
      throw new MillforgeError('kernel/closed', 'The store was closed; open another one.');
    }
    return tables.transact(work);
  };
  return {
    read: transact,
    write: (_name, work) => transact(work),
    assertIntact: async () => undefined,
    isClosed: () => isClosed,
    close() {
      isClosed = true;
    },
  };
}

/** Who lives among the owners of this process. */
function createLocks(living: Set<string>): OwnerLocks {
  let held: string | null = null;
  return {
    lock(ownerId) {
      if (living.has(ownerId)) return false;
      living.add(ownerId);
      held = ownerId;
      return true;
    },
    isAlive: (ownerId) => living.has(ownerId),
    release() {
      if (held !== null) living.delete(held);
      held = null;
    },
    forget: (ownerId) => void living.delete(ownerId),
  };
}
