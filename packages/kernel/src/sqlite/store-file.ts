import type { Database } from './database.ts';
import type { Driver } from './driver.ts';

/** The file behind a store, for what is done with files: copies, collections, looking for damage. */
export interface StoreFile {
  readonly db: Database;
  readonly driver: Driver;
  /** Whether the process of an owner lives; one that cannot be shown to be dead counts as alive. */
  readonly isAlive: (ownerId: string) => boolean;
}
