import type { Clock, JsonObject } from '@millforge/contracts';
import type { GoalView, OwnerView } from '../goal-view.ts';
import type { Kernel } from '../kernel.ts';
import type { Scope } from '../scope.ts';
import type { Review } from './create-review.ts';
import { fieldOf } from './field-of.ts';
import { loadDocument } from './review-document.ts';
import { reviewError } from './review-error.ts';
import type { ReviewReport } from './review-report.ts';
import { REPORT } from './review-tasks.ts';

/** How a review stands. */
export interface ReviewResult {
  /** Its goal. */
  readonly goal: GoalView;
  /** What it came to; null before its end. */
  readonly report: ReviewReport | null;
}

/** One execution of a review in this process. */
export interface ReviewRun {
  /** Resolves when the review ended, is held or is suspended; rejects as a run of a goal does. */
  readonly done: Promise<ReviewResult>;
  /** Suspends it after the operations in flight, or at once with `now`; it stays resumable. */
  stop(options?: { readonly now?: boolean }): void;
}

/**
 * Admits a review and runs it, or goes on with the one of that name: what was answered is not asked again.
 *
 * @throws what admitting throws: `kernel/goal-conflict` when another review has the name.
 */
export async function startReview(
  {
    kernel,
    scope,
    clock,
  }: { readonly kernel: Kernel; readonly scope: Scope; readonly clock: Clock },
  request: {
    /** Name of the review: 1 to 128 of `[a-z0-9._:-]`. */
    readonly reviewId: string;
    /** The review. */
    readonly review: Review;
    /** Kept beside the request, for a host that has to make the same review again. */
    readonly inputs?: JsonObject;
    /** Told once when another living process runs it and its silence is being timed. */
    readonly onWaiting?: (owner: OwnerView) => void;
  },
): Promise<ReviewRun> {
  const { reviewId, review, inputs, onWaiting } = request;
  await kernel.admitGoal(scope, review.contract(reviewId, inputs === undefined ? {} : { inputs }));
  const run = kernel.runGoal(scope, reviewId, {
    adapters: review.adapters({ artifacts: kernel.artifacts(scope), clock }),
    ...(onWaiting === undefined ? {} : { onWaiting }),
  });
  return {
    done: run.done.then((goal) => resultOf(kernel, scope, goal)),
    stop: (options) => run.stop(options),
  };
}

/**
 * Reads how a review stands.
 *
 * @throws `kernel/not-found`; `review/not-a-review` for another goal.
 */
export async function readReview(
  kernel: Kernel,
  scope: Scope,
  reviewId: string,
): Promise<ReviewResult> {
  const goal = await kernel.readGoal(scope, reviewId);
  if (goal.labels['kind'] !== 'review') {
    throw reviewError('review/not-a-review', `The goal ${reviewId} is no review.`);
  }
  return resultOf(kernel, scope, goal);
}

async function resultOf(kernel: Kernel, scope: Scope, goal: GoalView): Promise<ReviewResult> {
  const output = goal.tasks.find(({ task_id }) => task_id === REPORT)?.output;
  if (output === null || output === undefined) return { goal, report: null };
  const digest = fieldOf(output, 'report');
  const store = kernel.artifacts(scope);
  return { goal, report: await loadDocument<ReviewReport>(store, digest, 'review_report') };
}
