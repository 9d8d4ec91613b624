/** A node of a schema that waits for its normal form. */
export interface Visit {
  /** The node as it was written. */
  readonly node: unknown;
  /** Pointer to it, for faults. */
  readonly path: string;
  /** Levels above it, and itself. */
  readonly depth: number;
  /** The references that are being followed, outermost first. */
  readonly references: readonly string[];
  /** What all nodes of one schema share. */
  readonly shared: {
    /** Where references lead. */
    readonly root: unknown;
    /** Pointer to the root. */
    readonly rootPath: string;
    /** Whether the wider subset is accepted. */
    readonly isWide: boolean;
    /** Whether an unfit annotation is left out instead of refused. */
    readonly dropsUnfit: boolean;
    /** What may still come; a schema whose parts are shared can unfold without end. */
    readonly left: { nodes: number; bytes: number; words: number };
  };
}
