export { createReview, type Review } from './review/create-review.ts';
export { type DirectoryTreeOptions, directoryTree } from './review/directory-tree.ts';
export { type GitCommitOptions, gitCommit } from './review/git-commit.ts';
export { type ModelRoleOptions, modelRole } from './review/model-role.ts';
export { renderMarkdown } from './review/render-markdown.ts';
export { renderSarif } from './review/render-sarif.ts';
export type { CaptureLimits, LeftOutReason } from './review/review-capture.ts';
export type { ReviewErrorCode } from './review/review-error.ts';
export type {
  AcceptedFinding,
  FindingIdentity,
  FindingOrigin,
  FindingSeverity,
  ProposedFinding,
  RejectedFinding,
  RejectionReason,
} from './review/review-finding.ts';
export type { ReviewOptions } from './review/review-options.ts';
export type { ReportedRole, ReviewGap, ReviewReport } from './review/review-report.ts';
export type {
  CapturedTree,
  ReviewRole,
  RoleAnswer,
  RoleContext,
  RoleCoverage,
} from './review/review-role.ts';
export type { ReviewSource, SourceEntry, SourceTree } from './review/review-source.ts';
export { type ScriptedRule, scriptedRole } from './review/scripted-role.ts';
export {
  type ReviewResult,
  type ReviewRun,
  readReview,
  startReview,
} from './review/start-review.ts';
