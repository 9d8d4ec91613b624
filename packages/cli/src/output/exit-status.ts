import { MillforgeError, type RunResult } from '@millforge/contracts';

/** What a run came to, with the states that a person can still change. */
export type ResultStatus = RunResult['status'];

/** Exit status of the command line for each result of a run. */
export function exitStatusOf(status: ResultStatus): number {
  return EXIT_STATUS[status];
}

/** Exit status for an error: wrong usage 64, wrong document 65, a hold that stays 7, all else 1. */
export function exitStatusOfError(error: unknown): number {
  if (!MillforgeError.is(error)) return EXIT_FAILED;
  return ERROR_STATUS.get(error.code) ?? EXIT_FAILED;
}

/** Exit status for diagnostics: request codes are usage, source and check codes are documents. */
export function exitStatusOfDiagnostics(codes: readonly string[]): number {
  if (codes.some((code) => REQUEST_CODE.test(code))) return EXIT_USAGE;
  if (codes.some((code) => OWN_FAULT_CODE.test(code))) return EXIT_FAILED;
  return EXIT_DOCUMENT;
}

/** An internal or host error. */
export const EXIT_FAILED = 1;
/** A check said no. */
export const EXIT_CHECK_FAILED = 3;
const EXIT_HELD = 7;
const EXIT_INTERRUPTED = 130;
const EXIT_USAGE = 64;
const EXIT_DOCUMENT = 65;

const EXIT_STATUS: Readonly<Record<ResultStatus, number>> = {
  success: 0,
  failed: EXIT_FAILED,
  blocked: 2,
  rejected: EXIT_CHECK_FAILED,
  budget_exhausted: 4,
  cancelled: 5,
  deadline: 6,
  held: EXIT_HELD,
  interrupted: EXIT_INTERRUPTED,
  // Whoever began it and lost it to another process has no result of it either.
  running: EXIT_INTERRUPTED,
};

const ERROR_STATUS: ReadonlyMap<string, number> = new Map([
  ['cli/usage', EXIT_USAGE],
  ['millforge/usage', EXIT_USAGE],
  ['millforge/key-missing', EXIT_USAGE],
  ['kernel/not-found', EXIT_USAGE],
  ['kernel/scope-invalid', EXIT_USAGE],
  ['kernel/goal-ended', EXIT_USAGE],
  ['kernel/hold-decided', EXIT_USAGE],
  ['kernel/stale-version', EXIT_USAGE],
  ['kernel/decision-not-allowed', EXIT_USAGE],
  ['kernel/goal-conflict', EXIT_USAGE],
  ['kernel/imported', EXIT_USAGE],
  ['kernel/is-backup', EXIT_USAGE],
  ['kernel/not-permitted', EXIT_USAGE],
  ['kernel/former-owner-alive', EXIT_HELD],
  ['kernel/publication-in-flight', EXIT_HELD],
  ['kernel/approval-expired', EXIT_CHECK_FAILED],
  ['kernel/approver-not-confirmed', EXIT_CHECK_FAILED],
  ['kernel/intent-invalid', EXIT_USAGE],
  ['kernel/intent-mismatch', EXIT_USAGE],
  ['kernel/goal-not-completed', EXIT_USAGE],
  ['kernel/not-an-output', EXIT_USAGE],
  ['kernel/publication-not-allowed', EXIT_USAGE],
  ['kernel/publisher-mismatch', EXIT_USAGE],
  ['review/options-invalid', EXIT_USAGE],
  ['review/source-unreadable', EXIT_USAGE],
  ['review/not-a-review', EXIT_USAGE],
  ['cli/document', EXIT_DOCUMENT],
  ['millforge/document', EXIT_DOCUMENT],
  ['millforge/grants-missing', EXIT_DOCUMENT],
  ['millforge/tools-missing', EXIT_DOCUMENT],
  ['kernel/contract-invalid', EXIT_DOCUMENT],
  ['compiler/invalid-catalog', EXIT_DOCUMENT],
  ['tool/invalid-definition', EXIT_DOCUMENT],
  ['registry/invalid-descriptor', EXIT_DOCUMENT],
  ['registry/reserved-id', EXIT_DOCUMENT],
  ['registry/duplicate-tool', EXIT_DOCUMENT],
  ['registry/duplicate-implementation', EXIT_DOCUMENT],
]);

const REQUEST_CODE = /^MF-S0(?:01|02|13|14|15|16|17|18)$/;
const OWN_FAULT_CODE = /^MF-[LOI]\d/;
