/** How two plans differ in meaning, as a document. */
export interface PlanDiff {
  /** Type of this document. */
  readonly kind: 'plan_diff';
  /** Version of this document. */
  readonly schema_version: '1.0';
  /** Digest of the plan before. */
  readonly before_sha256: string;
  /** Digest of the plan after. */
  readonly after_sha256: string;
  /** The highest risk of all changes. */
  readonly risk: ChangeRisk;
  /** What differs: riskiest first, then by place. */
  readonly changes: readonly PlanChange[];
}

/** One difference. */
export interface PlanChange {
  /** What kind of difference, such as `side-effect-stronger`. */
  readonly change: string;
  /** What risk it adds. */
  readonly risk: ChangeRisk;
  /** Where in the plan: `/nodes/open_ticket/binding`. */
  readonly path: string;
  /** One sentence. */
  readonly message: string;
  /** What it was; null where there was nothing, or only a text that is not shown. */
  readonly before: ChangeValue;
  /** What it is. */
  readonly after: ChangeValue;
}

/** Risk that a change adds: `none` for what takes away or only renames, `high` for more power or a weaker gate. */
export type ChangeRisk = 'none' | 'low' | 'medium' | 'high';

/** What a change goes from and to. */
export type ChangeValue = string | number | boolean | readonly string[] | null;

/** Every risk, low first. */
export const RISKS: readonly ChangeRisk[] = ['none', 'low', 'medium', 'high'];
