/** How often one node was called. */
export interface StepCount {
  /** Calls that were performed, whatever came of them. */
  readonly performed: number;
  /** Calls that succeeded. */
  readonly succeeded: number;
}

/** Counts the calls of the nodes whose calls are bounded; the counts are handed in and out. */
export interface StepCounts {
  /** The counts before the first call. */
  readonly initial: readonly StepCount[];
  /** The counts after one more; the same ones for a node that needs no counting. */
  add(counts: readonly StepCount[], nodeId: string, what: keyof StepCount): readonly StepCount[];
  /** The count of a node, or null for one that needs no counting. */
  of(counts: readonly StepCount[], nodeId: string): StepCount | null;
}

/** Makes the counting for these nodes; one of which a single success is asked needs none. */
export function createStepCounts(
  nodes: readonly {
    readonly node_id: string;
    readonly calls?: { readonly min: number; readonly max: number | null };
  }[],
): StepCounts {
  const bounded = nodes
    .filter(({ calls }) => calls !== undefined && (calls.min > 1 || calls.max !== null))
    .map((node) => node.node_id);
  return {
    initial: Object.freeze(bounded.map(() => NO_CALLS)),
    add(counts, nodeId, what) {
      const place = bounded.indexOf(nodeId);
      const known = place < 0 ? undefined : counts[place];
      if (known === undefined) return counts;
      return Object.freeze(
        counts.with(place, Object.freeze({ ...known, [what]: known[what] + 1 })),
      );
    },
    of(counts, nodeId) {
      const place = bounded.indexOf(nodeId);
      return place < 0 ? null : (counts[place] ?? null);
    },
  };
}

const NO_CALLS: StepCount = Object.freeze({ performed: 0, succeeded: 0 });
