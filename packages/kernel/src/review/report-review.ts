import type { ReviewCapture } from './review-capture.ts';
import { type AcceptedFinding, type RejectedFinding, SEVERITIES } from './review-finding.ts';
import type { ReportedRole, ReviewGap, ReviewReport } from './review-report.ts';
import type { ReviewProposal, ReviewValidation } from './role-proposal.ts';

/** Puts together what the steps of a review came to, and lists everything that is missing. */
export function reportReview(
  reviewId: string,
  steps: {
    readonly capture: ReviewCapture;
    readonly proposals: readonly ReviewProposal[];
    readonly validation: ReviewValidation;
  },
): ReviewReport {
  const { capture, proposals, validation } = steps;
  const accepted = validation.findings.filter((one) => one.verdict === 'accepted');
  const rejected = validation.findings.filter((one) => one.verdict === 'rejected');
  const gaps = [
    ...capture.left_out.map((left): ReviewGap => ({ type: 'path-not-captured', ...left })),
    ...proposals.flatMap(roleGaps),
    ...rejected.map(rejectionGap),
  ];
  return {
    kind: 'review_report',
    schema_version: '1.0',
    review_id: reviewId,
    revision: capture.revision,
    captured_revision: capture.captured_revision,
    result: gaps.length === 0 ? 'complete' : 'partial',
    roles: proposals.map((proposal) => reportedRole(proposal, accepted)),
    files: capture.files,
    findings: accepted.toSorted(byGravity),
    rejected,
    gaps,
  };
}

function roleGaps(proposal: ReviewProposal): readonly ReviewGap[] {
  const { role, coverage, failure, is_cut, findings } = proposal;
  const gaps: ReviewGap[] = [];
  if (failure !== null) {
    gaps.push({ type: 'role-failed', role, code: failure.code, message: failure.message });
  }
  for (const entry of coverage) {
    const { path } = entry;
    if (entry.state === 'none') {
      gaps.push({ type: 'path-uncovered', role, path, reason: entry.reason });
    } else if (entry.state === 'truncated') {
      const { shown_lines, lines } = entry;
      gaps.push({ type: 'input-truncated', role, path, shown_lines, lines });
    }
  }
  if (is_cut) gaps.push({ type: 'findings-cut', role, kept: findings.length });
  return gaps;
}

function rejectionGap({ role, finding_id, reason }: RejectedFinding): ReviewGap {
  return { type: 'finding-rejected', role, finding_id, reason };
}

function reportedRole(
  { role, origin, coverage, findings, failure }: ReviewProposal,
  accepted: readonly AcceptedFinding[],
): ReportedRole {
  return {
    role,
    origin,
    covered: coverage.filter(({ state }) => state === 'whole').length,
    proposed: findings.length,
    accepted: accepted.filter((one) => one.role === role).length,
    failure,
  };
}

/** The gravest first, then by place; equal ones stay in the order in which they were proposed. */
function byGravity(a: AcceptedFinding, b: AcceptedFinding): number {
  const gravity = SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity);
  if (gravity !== 0) return gravity;
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return a.start_line - b.start_line;
}
