import type { RunResult, TrailVerdict } from 'millforge';

/** What the process that went on after all crashes found. */
export interface ChildReport {
  readonly pid: number;
  /** Questions that it was asked. */
  readonly held: readonly { readonly operation: string | null; readonly reason: string }[];
  readonly status: RunResult['status'];
  readonly summary: string | null;
  readonly verdict: TrailVerdict;
  /** What the trail keeps of each operation that a host was ever told about, as it is told. */
  readonly recorded: Readonly<Record<string, string>>;
}
