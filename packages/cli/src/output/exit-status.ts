import { MillforgeError, type RunStatus } from '@millforge/contracts';

/** What a run came to, with the states that a person can still change. */
export type ResultStatus = RunStatus | 'held' | 'interrupted';

/** Exit status of the command line for each result of a run. */
export function exitStatusOf(status: ResultStatus): number {
  return EXIT_STATUS[status];
}

/** Exit status for an error: wrong usage 64, wrong document 65, everything else 1. */
export function exitStatusOfError(error: unknown): number {
  if (MillforgeError.is(error)) {
    if (USAGE_CODES.has(error.code)) return EXIT_USAGE;
    if (DOCUMENT_CODES.has(error.code)) return EXIT_DOCUMENT;
  }
  return EXIT_FAILED;
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
/** Wrong option, path or workspace. */
export const EXIT_USAGE = 64;
/** A document is wrong. */
export const EXIT_DOCUMENT = 65;

const EXIT_STATUS: Readonly<Record<ResultStatus, number>> = {
  success: 0,
  failed: EXIT_FAILED,
  blocked: 2,
  rejected: EXIT_CHECK_FAILED,
  budget_exhausted: 4,
  cancelled: 5,
  deadline: 6,
  held: 7,
  interrupted: 130,
};

const USAGE_CODES = new Set(['cli/usage', 'millforge/usage', 'kernel/not-found']);
const DOCUMENT_CODES = new Set(['cli/document', 'millforge/document', 'millforge/grants-missing', 'tool/invalid-definition']);
const REQUEST_CODE = /^MF-S0(?:01|02|13|14|15|16|17|18)$/;
const OWN_FAULT_CODE = /^MF-[LOI]\d/;
