import type { Tool } from '@millforge/contracts';
import type { RegistrySnapshot } from './registry-snapshot.ts';

/** Tools being collected; nothing can be looked up until it is frozen. */
export interface Registry {
  /**
   * Adds tools, all or none.
   *
   * @throws `registry/frozen` after `freeze`.
   * @throws `registry/invalid-descriptor` for a descriptor or code that is not well-formed.
   * @throws `registry/reserved-id` for an id whose prefix belongs to another origin.
   * @throws `registry/duplicate-tool` for an id and version that are taken.
   * @throws `registry/duplicate-implementation` for an implementation id that is taken.
   */
  register(...tools: readonly Tool[]): void;
  /** Ends registration; the same snapshot every time, whatever the order of registration was. */
  freeze(): RegistrySnapshot;
}

/** Makes an empty registry. */
export function createRegistry(): Registry {
  throw new Error('unfinished');
}
