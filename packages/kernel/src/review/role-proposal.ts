import type { Failure, JsonValue } from '@millforge/contracts';
import type { FindingIdentity, FindingOrigin, JudgedFinding } from './review-finding.ts';
import type { RoleCoverage } from './review-role.ts';

/** What one role came to, as its step hands it on. */
export interface ReviewProposal {
  readonly kind: 'review_proposal';
  readonly schema_version: '1.0';
  readonly role: string;
  readonly origin: FindingOrigin;
  readonly findings: readonly (FindingIdentity & { readonly proposed: JsonValue })[];
  /** Whether it proposed more than are kept. */
  readonly is_cut: boolean;
  /** One entry for each captured file, in their order. */
  readonly coverage: readonly RoleCoverage[];
  readonly failure: Failure | null;
}

/** What was found out about every finding, as the step that judges hands it on. */
export interface ReviewValidation {
  readonly kind: 'review_validation';
  readonly schema_version: '1.0';
  readonly captured_revision: string;
  readonly findings: readonly JudgedFinding[];
}
