import { unreachable } from '@millforge/contracts';
import type { ReviewGap, ReviewReport } from './review-report.ts';

/** Says in one sentence what is missing. Paths and words of models stand in it as they are. */
export function describeGap(gap: ReviewGap, report: Pick<ReviewReport, 'rejected'>): string {
  switch (gap.type) {
    case 'path-not-captured':
      return gap.since === undefined
        ? `${gap.path} was not captured: ${gap.reason}.`
        : `${gap.path} is not changed since ${gap.since}, so nobody looked at it.`;
    case 'path-uncovered':
      return `${gap.role} did not look at ${gap.path}: ${gap.reason}.`;
    case 'input-truncated':
      return `${gap.role} looked at the first ${gap.shown_lines} of ${gap.lines} lines of ${gap.path}.`;
    case 'role-failed':
      return `${gap.role} ended early: ${gap.code}: ${gap.message}`;
    case 'findings-cut':
      return `${gap.role} proposed more findings than the ${gap.kept} that are kept.`;
    case 'finding-rejected': {
      const finding = report.rejected.find(({ finding_id }) => finding_id === gap.finding_id);
      return `The finding ${gap.finding_id} was rejected: ${gap.reason}. ${finding?.message ?? ''}`.trim();
    }
    default:
      return unreachable(gap, 'gap');
  }
}
