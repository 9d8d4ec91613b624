import type { ReviewReport } from '@millforge/kernel/review';
import type { ModelSetting } from './model-setting.ts';

/** What is reviewed, and by whom. */
export interface ReviewRequest {
  /** Absolute path of a git repository, of its work tree, or of the folder that is reviewed. */
  readonly repository: string;
  /** A commit in any of git's words; null for the folder as it stands. */
  readonly commit: string | null;
  /** An earlier commit: only what was added or changed since then is looked at. Default all. */
  readonly since?: string;
  /** Files and folders to look at, by path in the commit. Default all. */
  readonly paths?: readonly string[];
  /** Who looks. Default `correctness`, `security` and `tests`. */
  readonly roles?: readonly string[];
  /** The model that every role asks; null for the rules that ship, which ask none. */
  readonly model: ModelSetting | null;
  /** Milliseconds that one role may work. Default 30 min. */
  readonly timeoutMs?: number;
  /** Whether the review waits for a person at its end, who approves or denies its report. Default false. */
  readonly signOff?: boolean;
  /** Names the review: 1 to 128 of `[a-z0-9._:-]`; default a fresh name. */
  readonly reviewId?: string;
  /** Told what happens, as it happens. */
  readonly onEvent?: (event: ReviewEvent) => void;
}

/** What a review tells of while it goes on. */
export type ReviewEvent =
  | {
      /** A role begins to look. */
      readonly type: 'role-started';
      /** The role. */
      readonly role: string;
    }
  | {
      /** A role has ended. */
      readonly type: 'role-ended';
      /** The role. */
      readonly role: string;
      /** Findings that it proposed, before they are judged. */
      readonly proposed: number;
    };

/** How a review is gone on with. */
export interface ResumeReviewOptions {
  /** Told what happens; nothing of roles that ended before. */
  readonly onEvent?: (event: ReviewEvent) => void;
  /** Told once when another living process holds the review and its silence is being timed. */
  readonly onWaiting?: (owner: string) => void;
  /** Told once, before anything is asked, of the model that was kept; not of what has ended. */
  readonly onModel?: (model: ModelSetting) => void;
}

/** A review that goes on. */
export interface ReviewHandle {
  /** Its name. */
  readonly reviewId: string;
  /** What it comes to; rejects only for a fault of the host. */
  readonly result: Promise<ReviewOutcome>;
  /** Suspends it: after the current operation, or now. */
  stop(options?: { readonly now?: boolean }): void;
}

/** What a review came to. */
export interface ReviewOutcome {
  /** Its name. */
  readonly reviewId: string;
  /** What its report says, `rejected` when a person denied that, or how it stands without one. */
  readonly status:
    | 'complete'
    | 'partial'
    | 'rejected'
    | 'failed'
    | 'held'
    | 'cancelled'
    | 'interrupted';
  /** The report; null before its end. */
  readonly report: ReviewReport | null;
  /** Why there is no report, as a code; null when there is one or it was only stopped. */
  readonly failureClass: string | null;
  /** The same as a sentence. */
  readonly message: string | null;
  /** Path of the trail. */
  readonly trailPath: string;
  /**
   * Writes the report for people, or as SARIF 2.1.0.
   *
   * @throws `millforge/usage` where there is none.
   */
  render(form: 'markdown' | 'sarif'): string;
}
