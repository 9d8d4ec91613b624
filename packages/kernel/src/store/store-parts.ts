import type { Clock } from '@millforge/contracts';
import type { DurableWrite } from '../failpoints.ts';
import type { StoreTransaction } from './store-transaction.ts';

/** What the transactions of a store run on. */
export interface StoreParts {
  readonly db: StoreGround;
  readonly clock: Clock;
  /** Whether the process of an owner lives; one that cannot be shown to be dead counts as alive. */
  readonly isAlive: (ownerId: string) => boolean;
}

/** Runs the rules of this package, each in one transaction. */
export interface StoreGround {
  /** Runs `work` in one durable transaction; resolves when all of it is kept. */
  write<T>(name: DurableWrite, work: (tx: StoreTransaction) => T): Promise<T>;
  /** Runs `work` on one consistent state. */
  read<T>(work: (tx: StoreTransaction) => T): Promise<T>;
  /** Rejects with `kernel/corrupt` when what keeps the rows is damaged itself. */
  assertIntact(): Promise<void>;
  /** Whether it takes nothing any more: it was closed, or ended by a fault that was told then. */
  isClosed(): boolean;
  /** Ends it; later calls reject with `kernel/closed`. */
  close(): void;
}
