/**
 * Who has to agree before a call of a tool is performed: nobody; the policy of the run or a person;
 * always a person, asked later; or nobody can.
 */
export type ToolApproval = 'none' | 'explicit' | 'out_of_band' | 'forbidden';

/** Every requirement of approval, from the loosest to the strictest. */
export const TOOL_APPROVALS: readonly ToolApproval[] = [
  'none',
  'explicit',
  'out_of_band',
  'forbidden',
];

/** What a person or a policy said about exactly one call. */
export interface ApprovalDecision {
  /** Type of this document. */
  readonly kind: 'approval_decision';
  /** Version of this document. */
  readonly schema_version: '1.0';
  /** Digest of the request that was decided; the decision is good for that call only, and once. */
  readonly request_sha256: string;
  /** What was decided. */
  readonly decision: 'approved' | 'declined';
  /** Who decided: a person, `policy`, or `nobody` where there was nobody to ask. */
  readonly decided_by: string;
  /** Why, one sentence. */
  readonly reason: string;
  /** When, UTC with milliseconds. */
  readonly decided_at: string;
  /** When an approval ends that was not used, UTC with milliseconds. */
  readonly expires_at: string;
}
