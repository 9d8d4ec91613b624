import { type Diagnostic, unreachable } from '@millforge/contracts';
import { report } from '../diagnostics.ts';
import type { PublishOutcome } from './publish-plan.ts';

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
        ...leftoverOf(outcome.leftover),
      ];
    case 'not_written':
      return [
        report.planNotWritten({
          path: '/',
          hint: outcome.reason,
          fields: { errno: outcome.errorCode },
        }),
        ...leftoverOf(outcome.leftover),
      ];
    case 'publish_unsure':
      return [
        report.planUnsure({
          path: '/',
          hint: 'Compile again.',
          fields: { errno: outcome.errorCode },
        }),
        ...leftoverOf(outcome.leftover),
      ];
    default:
      return unreachable(outcome, 'outcome of a publication');
  }
}

function leftoverOf(fileName: string | null): readonly Diagnostic[] {
  if (fileName === null) return [];
  return [report.leftover({ path: '/', hint: `Remove ${fileName}.` })];
}

function hintOf(hint: string | undefined): { readonly hint?: string } {
  return hint === undefined ? {} : { hint };
}
