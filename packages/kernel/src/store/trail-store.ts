import type { TrailRecord } from '@millforge/contracts';
import type { Scope } from '../scope.ts';
import type { TrailVerdict } from '../trail/trail-verdict.ts';

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
   * Verifies an export, then keeps it as a goal that is read and never run; gives its name.
   *
   * @throws `kernel/export-invalid` with the line; `kernel/goal-conflict` when the goal is here already.
   */
  import(scope: Scope, lines: Iterable<string> | AsyncIterable<string>): Promise<string>;
}

/** Some records of a trail. */
export interface TrailPage {
  /** In their order. */
  readonly records: readonly TrailRecord[];
  /** Whether the goal has ended, so that hardly anything follows. */
  readonly hasEnded: boolean;
}
