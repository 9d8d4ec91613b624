import type { GoalState } from '../goal-view.ts';
import type { TreeViolation } from './look-at-trees.ts';
import type { CriterionResult, PatchFacts } from './verify-evidence.ts';

/** What a development hands to a person: something to review, never a permission to merge or deploy. */
export interface DevelopHandoff {
  /** Type of this document. */
  readonly kind: 'develop_handoff';
  /** Version of this document. */
  readonly schema_version: '1.0';
  /** The goal. */
  readonly goal: {
    /** Its name. */
    readonly goal_id: string;
    /** Random name that no other goal has. */
    readonly goal_uid: string;
    /** How it stands; only `completed` has passed. */
    readonly state: GoalState;
    /** Why it failed; null unless it failed. */
    readonly failure: { readonly code: string; readonly message: string } | null;
    /** End of its trail. */
    readonly head: { readonly seq: number; readonly sha256: string };
  };
  /** Digest of the goal's contract. */
  readonly contract_sha256: string;
  /** Digest of the candidate as it was admitted; the patch applies to it. */
  readonly initial_candidate_sha256: string;
  /** Digest of the candidate that was judged last; null before the first verdict. */
  readonly candidate_sha256: string | null;
  /** Digest of the protected checks; null when there are none. */
  readonly checks_sha256: string | null;
  /** The digests of the receipts, by task. */
  readonly receipts: readonly { readonly task_id: string; readonly receipt_sha256: string }[];
  /** What each round was found to be. */
  readonly verdicts: readonly DevelopVerdict[];
  /** What changed where it may not, wherever it was found. */
  readonly violations: readonly TreeViolation[];
  /** What a person must know before trusting the patch, one sentence each. */
  readonly gaps: readonly string[];
  /** The patch of the candidate that was judged last; null before the first verdict. */
  readonly patch: PatchFacts | null;
}

/** The verdicts of one round. */
export interface DevelopVerdict {
  /** The round. */
  readonly round: number;
  /** What `verify` said. */
  readonly verify: 'pass' | 'fail';
  /** What `health` said; null when it did not run. */
  readonly health: 'pass' | 'fail' | null;
  /** How each criterion came out; the hidden ones by the names of the contract. */
  readonly criteria: readonly CriterionResult[];
}
