import type { TreeDigests, TreeViolation } from './look-at-trees.ts';

/** What `verify` saw: the evidence of its verdict. */
export type VerifyEvidence = TreeDigests & {
  /** Type of this document. */
  readonly kind: 'develop_verdict';
  /** Version of this document. */
  readonly schema_version: '1.0';
  /** The round. */
  readonly round: number;
  /** How each criterion came out, in the order of the contract, the hidden ones last. */
  readonly results: readonly CriterionResult[];
  /** What changed while or before it looked. */
  readonly violations: readonly TreeViolation[];
  /** The patch from the admitted candidate to the one that was judged. */
  readonly patch: PatchFacts;
};

/** How a criterion came out. */
export type CriterionResult = {
  /** Its name, or `hidden-N` for the N-th hidden one. */
  readonly name: string;
  /** Whether it is hidden. */
  readonly hidden: boolean;
  /** Whether its command ended with 0. */
  readonly passed: boolean;
  /** Exit code; null when it was ended. */
  readonly exit_code: number | null;
  /** Whether its time was over. */
  readonly timed_out: boolean;
  /** The boundary that it ran inside; null for a plain process. */
  readonly boundary: string | null;
  /** End of what it wrote, at most 2 KiB; null where that would tell of hidden criteria. */
  readonly output: string | null;
  /** Digest of what it wrote, as an artifact. */
  readonly output_sha256: string;
};

/** A patch that is kept as an artifact. */
export type PatchFacts = {
  /** Digest of its bytes. */
  readonly sha256: string;
  /** Number of its bytes. */
  readonly bytes: number;
  /** Number of paths that it changes. */
  readonly files: number;
  /** Directories without files that come or go, which no patch can hold. */
  readonly left_out: readonly string[];
  /** Links whose place a directory takes, to be removed before it is applied. */
  readonly in_the_way: readonly string[];
};
