import type { Failure } from '@millforge/contracts';
import type { CapturedFile } from '../artifacts/captured-revision.ts';
import type { LeftOutReason } from './review-capture.ts';
import type {
  AcceptedFinding,
  FindingOrigin,
  RejectedFinding,
  RejectionReason,
} from './review-finding.ts';

/** What a review came to, for people to judge. It permits nothing. */
export interface ReviewReport {
  /** Type of this document. */
  readonly kind: 'review_report';
  /** Version of this document. */
  readonly schema_version: '1.0';
  /** The review, which is the name of its goal. */
  readonly review_id: string;
  /** What was reviewed: `git:<commit>`, `tree:<digest>`. */
  readonly revision: string;
  /** Digest of the captured revision. */
  readonly captured_revision: string;
  /** `complete` when every role looked at all of every path in scope and no finding was rejected. */
  readonly result: 'complete' | 'partial';
  /** Who looked. */
  readonly roles: readonly ReportedRole[];
  /** What was looked at, by path. */
  readonly files: readonly CapturedFile[];
  /** Findings whose source is real, the gravest first. */
  readonly findings: readonly AcceptedFinding[];
  /** Findings that do not hold, in the order in which they were proposed. */
  readonly rejected: readonly RejectedFinding[];
  /** Everything that keeps the review from being complete. */
  readonly gaps: readonly ReviewGap[];
}

/** What one role did. */
export interface ReportedRole {
  /** What it looks for. */
  readonly role: string;
  /** Who proposed. */
  readonly origin: FindingOrigin;
  /** Files that it looked at whole. */
  readonly covered: number;
  /** Findings that it proposed. */
  readonly proposed: number;
  /** Those whose source is real. */
  readonly accepted: number;
  /** Why it ended early; null when it did not. */
  readonly failure: Failure | null;
}

/** One thing that keeps a review from being complete. */
export type ReviewGap =
  | {
      /** A path in scope was not captured. */
      readonly type: 'path-not-captured';
      /** The path. */
      readonly path: string;
      /** Why. */
      readonly reason: LeftOutReason;
      /** The earlier state, as it was named, for what is `not-changed`. */
      readonly since?: string;
    }
  | {
      /** A role did not look at a file. */
      readonly type: 'path-uncovered';
      /** The role. */
      readonly role: string;
      /** The file. */
      readonly path: string;
      /** Why, as a word. */
      readonly reason: string;
    }
  | {
      /** A role looked at the beginning of a file only. */
      readonly type: 'input-truncated';
      /** The role. */
      readonly role: string;
      /** The file. */
      readonly path: string;
      /** Lines that it looked at. */
      readonly shown_lines: number;
      /** Lines of the file. */
      readonly lines: number;
    }
  | {
      /** A role ended early. */
      readonly type: 'role-failed';
      /** The role. */
      readonly role: string;
      /** Why, as a code. */
      readonly code: string;
      /** Why, as a sentence. */
      readonly message: string;
    }
  | {
      /** A role proposed more findings than are kept. */
      readonly type: 'findings-cut';
      /** The role. */
      readonly role: string;
      /** Findings that are kept. */
      readonly kept: number;
    }
  | {
      /** A finding does not hold. */
      readonly type: 'finding-rejected';
      /** The role. */
      readonly role: string;
      /** The finding. */
      readonly finding_id: string;
      /** Why. */
      readonly reason: RejectionReason;
    };
