import { type Diagnostic, unreachable } from '@millforge/contracts';
import { report } from '../diagnostics.ts';
import { systemFault } from './error-code.ts';
import type { PublishOutcome } from './publish-plan.ts';
import type { Leftover } from './temporary-file.ts';

/** What a publication that did not succeed says in a report; empty for one that did. */
export function publicationDiagnostics(outcome: PublishOutcome): readonly Diagnostic[] {
  switch (outcome.kind) {
    case 'published':
      return [];
    case 'rejected':
      return [report.planInvalid({ path: '/', ...hintOf(outcome.problems[0]) })];
    case 'conflict':
      return [
        report.planConflict({ path: '/', hint: `Move ${outcome.fileName} away.` }),
        ...leftoverDiagnostics(outcome.leftover),
      ];
    case 'not_written':
      return [
        report.planNotWritten(systemFault(outcome.errorCode, outcome.reason)),
        ...leftoverDiagnostics(outcome.leftover),
      ];
    case 'publish_unsure':
      return [
        ...(outcome.errorCode === null
          ? []
          : [report.planUnsure(systemFault(outcome.errorCode, 'Compile again.'))]),
        ...leftoverDiagnostics(outcome.leftover),
      ];
    default:
      return unreachable(outcome, 'outcome of a publication');
  }
}

/** What a temporary file that stayed says in a report. */
export function leftoverDiagnostics(leftover: Leftover | null): readonly Diagnostic[] {
  if (leftover === null) return [];
  return [report.leftover(systemFault(leftover.errorCode, `Remove ${leftover.fileName}.`))];
}

function hintOf(hint: string | undefined): { readonly hint?: string } {
  return hint === undefined ? {} : { hint };
}
