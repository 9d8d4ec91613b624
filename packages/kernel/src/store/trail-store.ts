import type { TrailRecord } from '@millforge/contracts';
import type { TrailVerdict } from '../kernel.ts';
import type { Scope } from '../scope.ts';
import type { ReadExport } from '../trail/import-trail.ts';

/** Trails: read, verified, exported, imported. */
export interface TrailStore {
  /** Reads records in their order, from `from` on, a page at a time. */
  read(
    tenant: string,
    goalId: string,
    page: { readonly from: number; readonly limit: number },
  ): Promise<TrailPage>;
  /** Recomputes everything of one goal, or of all of a tenant, and names the first thing that does not hold. */
  verify(tenant: string, goalId: string | null): Promise<TrailVerdict>;
  /** Writes a goal as JSON Lines. */
  export(tenant: string, goalId: string): AsyncIterable<string>;
  /**
   * Keeps a verified export as a goal that is read and never run.
   *
   * @throws `kernel/goal-conflict` when the goal is here already.
   */
  import(scope: Scope, read: ReadExport): Promise<void>;
}

/** Some records of a trail. */
export interface TrailPage {
  readonly records: readonly TrailRecord[];
  /** Whether the goal has ended, so that hardly anything follows. */
  readonly hasEnded: boolean;
}
