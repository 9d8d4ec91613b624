import type { Clock } from '@millforge/contracts';
import type { Database } from '../sqlite/database.ts';

/** What the transactions of a store run on. */
export interface StoreParts {
  readonly db: Pick<Database, 'read' | 'write'>;
  readonly clock: Clock;
  /** Whether the process of an owner lives; one that cannot be shown to be dead counts as alive. */
  readonly isAlive: (ownerId: string) => boolean;
}
