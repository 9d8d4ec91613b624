import type { Failure, JsonValue, OperationLog } from '@millforge/contracts';
import type { CapturedFile, Retrieval, RetrievalQuery } from '../artifacts/captured-revision.ts';
import type { FindingOrigin, ProposedFinding } from './review-finding.ts';

/** Somebody who looks at a capture from one side and proposes findings. */
export interface ReviewRole {
  /** What it looks for: `correctness`, `security`, `tests`, or a word of the host; 1 to 64 of `[a-z0-9-]`. */
  readonly role: string;
  /** Who proposes; shown beside every finding. */
  readonly origin: FindingOrigin;
  /** Changes when its behaviour does. */
  readonly version: string;
  /** What its behaviour depends on, as digests or names; a resumed review needs the same. */
  readonly parameters: JsonValue;
  /**
   * Looks at the capture and nothing else.
   *
   * Between operations it is a function of the capture and of recorded outcomes. One that throws is a failed
   * role: a gap of the review, not the end of it. It lets `operation/suspended` pass.
   */
  propose(context: RoleContext): Promise<RoleAnswer>;
}

/** What a role is given. */
export interface RoleContext {
  /** The capture. */
  readonly tree: CapturedTree;
  /** Performs an exchange with the outside as an operation, so that a resumed review does not repeat it. */
  readonly perform: OperationLog['perform'];
  /** Aborts when the review must stop. */
  readonly signal: AbortSignal;
}

/** The files of one capture; every read is compared with the digest first. */
export interface CapturedTree {
  /** What was captured: `git:<commit>`, `tree:<digest>`. */
  readonly revision: string;
  /** The files, by path. */
  readonly files: readonly CapturedFile[];
  /** Lines of a file without their ends; null when it is no UTF-8 text or was not captured. */
  readLines(path: string): Promise<readonly string[] | null>;
  /** First and last line of what was added or changed since an earlier state; null where none is known. */
  changedLines(path: string): readonly (readonly [number, number])[] | null;
  /** Finds exact pieces of the captured files. */
  retrieve(query: Omit<RetrievalQuery, 'revision'>): Promise<Retrieval>;
}

/** What a role came to. */
export interface RoleAnswer {
  /** What it proposes; what is not of the form of a finding is kept and rejected. */
  readonly findings: readonly (ProposedFinding | JsonValue)[];
  /** What it looked at; a file that is missing here counts as not looked at. */
  readonly coverage: readonly RoleCoverage[];
  /** Why it ended early; null when it did not. */
  readonly failure: Failure | null;
}

/** How much of a file a role looked at. */
export type RoleCoverage =
  | {
      /** All of it. */
      readonly state: 'whole';
      /** The file. */
      readonly path: string;
    }
  | {
      /** Only the beginning: the rest did not fit. */
      readonly state: 'truncated';
      /** The file. */
      readonly path: string;
      /** Lines that it looked at. */
      readonly shown_lines: number;
      /** Lines of the file. */
      readonly lines: number;
    }
  | {
      /** Nothing, or nobody knows. */
      readonly state: 'none';
      /** The file. */
      readonly path: string;
      /** Why, as a word: `not-text`, `unreadable-answer`, `answer-cut`, `skipped`. */
      readonly reason: string;
    };
