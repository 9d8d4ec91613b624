import { EXIT_CHECK_FAILED, exitStatusOf } from '../output/exit-status.ts';
import { ownName } from '../output/own-name.ts';
import { type CliHost, printable, writeJsonLine, writeLine } from '../output/terminal.ts';
import { waysOn } from '../output/ways-on.ts';
import type { ReviewEvent, ReviewHandle, ReviewOutcome } from '../port/review-port.ts';
import { suspendOnInterrupt } from './suspend-on-interrupt.ts';

/** How the report is written; `lines` is JSON Lines with events. */
export type ReviewForm = 'markdown' | 'json' | 'sarif' | 'lines';

/** Starts a review, tells of it on stderr, and prints its report. Ctrl-C suspends it at once. */
export async function watchReview(
  host: CliHost,
  view: { readonly form: ReviewForm; readonly dataFlag: string },
  start: (listeners: {
    readonly onEvent: (event: ReviewEvent) => void;
    readonly onWaiting: (owner: string) => void;
  }) => Promise<ReviewHandle>,
): Promise<number> {
  let handle: ReviewHandle | null = null;
  const note = (line: string): void => writeLine(host.stderr, line);
  // All that a review waits for can be asked again.
  const interrupts = suspendOnInterrupt(host, {
    isAsking: () => true,
    note,
    stop: (options) => handle?.stop(options),
  });
  try {
    handle = await start({
      onEvent(event) {
        note(sentenceOf(event));
        if (view.form === 'lines') writeJsonLine(host.stdout, event);
      },
      onWaiting(owner) {
        note(`The review is held by ${owner}; waiting until it has been silent long enough.`);
      },
    });
    // The name of the review comes early: whoever kills this process needs it to go on.
    note(`review ${handle.reviewId}`);
    if (view.form === 'lines') {
      writeJsonLine(host.stdout, { type: 'review-started', review_id: handle.reviewId });
    }
    interrupts.repeat();
    const outcome = await handle.result;
    showOutcome(host, view, outcome);
    return statusOf(outcome);
  } finally {
    interrupts.close();
  }
}

function showOutcome(
  host: CliHost,
  { form, dataFlag }: { readonly form: ReviewForm; readonly dataFlag: string },
  outcome: ReviewOutcome,
): void {
  const { reviewId, report, status } = outcome;
  if (form === 'lines') {
    writeJsonLine(host.stdout, {
      kind: 'review_result',
      schema_version: '1.0',
      review_id: reviewId,
      status,
      failure_class: outcome.failureClass,
      failure_message: outcome.message,
      report,
      trail_path: outcome.trailPath,
    });
  } else if (report !== null) {
    if (form === 'json') writeJsonLine(host.stdout, report);
    else
      host.stdout.write(form === 'sarif' ? outcome.render(form) : printable(outcome.render(form)));
  }
  if (status === 'complete' || status === 'partial') return;
  writeLine(host.stderr, outcome.message ?? `The review is ${status}.`);
  const { goOn: on, anew } = waysOn('review', {
    goalId: reviewId,
    dataFlag,
    program: ownName(host.env),
  });
  if (status === 'held' && report !== null) {
    writeLine(host.stderr, 'It waits for you; one of these answers:');
    for (const decision of ['approve', 'deny']) {
      writeLine(host.stderr, `  ${on} --decide ${decision} --reason TEXT`);
    }
  } else if (!ENDED.has(status) || outcome.failureClass === 'model_unavailable') {
    writeLine(host.stderr, `Go on with: ${on}`);
    if (outcome.failureClass === 'model_unavailable') writeLine(host.stderr, anew);
  }
}

function statusOf({ status }: ReviewOutcome): number {
  if (status === 'complete') return 0;
  return status === 'partial' ? EXIT_CHECK_FAILED : exitStatusOf(status);
}

function sentenceOf(event: ReviewEvent): string {
  if (event.type === 'role-started') return `${event.role} looks`;
  return `${event.role} proposed ${event.proposed} ${event.proposed === 1 ? 'finding' : 'findings'}`;
}

const ENDED: ReadonlySet<string> = new Set(['failed', 'cancelled', 'rejected']);
