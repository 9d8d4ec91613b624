import type { CompiledHarnessPlan, Diagnostic } from '@millforge/contracts';

/** What is known about the disk after a file was compiled; each kind is one truth. */
export type CompileFileOutcome =
  | RejectedFile
  | ConflictingFile
  | UnwrittenFile
  | PublishedFile
  | UnsureFile;

/** What every outcome holds. */
export interface FileOutcome {
  /** Id of the request; `request.invalid` where it had none. */
  readonly requestId: string;
  /** Path of the source as it was asked for; null for a request that was refused. */
  readonly sourcePath: string | null;
  /** Digest of the normalised text of the source, where it became text. */
  readonly documentSha256: string | null;
  /** Digest of the meaning, where the harness got that far. */
  readonly sourceSha256: string | null;
  /** Id of the harness, where its digest is known too. */
  readonly harnessId: string | null;
  /** Digest of the request's identity, where there was something to write. */
  readonly requestIdentitySha256: string | null;
  /** What was found, sorted and bounded; warnings in an outcome that is a success. */
  readonly diagnostics: readonly Diagnostic[];
  /** The report of this compilation. */
  readonly report: ReportState;
}

/** What is known about the report of a compilation. */
export type ReportState =
  | {
      /** None was to be written: what stops before the output leaves no file. */
      readonly kind: 'absent';
    }
  | {
      /** It stands, complete and durable; or it may stand, where writing it failed. */
      readonly kind: 'committed' | 'unknown';
      /** Its path below the output root. */
      readonly path: string;
    };

/** The request or the source was refused; nothing was touched. */
export interface RejectedFile extends FileOutcome {
  /** The request or the source was refused; nothing was touched. */
  readonly kind: 'rejected';
  /** The phase of the first diagnostic. */
  readonly failurePhase: string;
}

/** Something else stands under the name of the plan; it was left alone. */
export interface ConflictingFile extends FileOutcome {
  /** Something else stands under the name of the plan; it was left alone. */
  readonly kind: 'conflict';
}

/** There is a plan, but no file of it was made. */
export interface UnwrittenFile extends FileOutcome {
  /** There is a plan, but no file of it was made. */
  readonly kind: 'not_written';
}

/** The plan stands, complete and durable; the report does, or it may. */
export interface PublishedFile extends FileOutcome, PlanFile {
  /** The plan stands, complete and durable; the report does too, or it is not certain. */
  readonly kind: 'published' | 'published_report_unsure';
  /** The plan, frozen to its leaves. */
  readonly plan: CompiledHarnessPlan;
  /** Whether an equal file stood there before. */
  readonly reused: boolean;
}

/** The plan's file was made, but it is not confirmed, or a temporary one is left beside it. */
export interface UnsureFile extends FileOutcome, PlanFile {
  /** The plan's file was made, but it is not confirmed, or a temporary one is left beside it. */
  readonly kind: 'publish_unsure';
}

/** Whether a plan is in its directory; nothing was written. */
export type CheckFileOutcome = RejectedFile | CurrentFile | MissingFile;

/** The plan stands in its directory. */
export interface CurrentFile extends FileOutcome, PlanFile {
  /** The plan stands in its directory. */
  readonly kind: 'current';
  /** The plan, frozen to its leaves. */
  readonly plan: CompiledHarnessPlan;
}

/** The plan does not stand in its directory. */
export interface MissingFile extends FileOutcome, PlanFile {
  /** Others of the same harness stand there (`stale`), or none (`absent`). */
  readonly kind: 'stale' | 'absent';
  /** The plan that should stand there, frozen to its leaves. */
  readonly plan: CompiledHarnessPlan;
  /** Names of plans of the same harness that stand there; also the name of this one with other bytes. */
  readonly found: readonly string[];
}

/** Where a plan's file stands. */
export interface PlanFile {
  /** Path of the plan below the output root. */
  readonly planPath: string;
  /** The plan's own digest. */
  readonly sha256: string;
}
