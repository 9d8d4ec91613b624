import type { Diagnostic } from '@millforge/contracts';
import { createLocator, type SourceDocument, type SourceLocation } from '@millforge/source';

/** A mistake that was found and is not yet worded. */
export interface Finding {
  /** Pointer into the model. */
  readonly path: string;
  /** Words it; what that needs beyond the place is worked out here, not when the mistake is found. */
  readonly word: (place: FindingPlace) => Diagnostic;
}

/** Where a finding stands, as diagnostics carry it. */
export type FindingPlace = Pick<Diagnostic, 'path' | 'logicalPath' | 'span'>;

/**
 * Words the findings of one phase that a report can show, for it shows the first ones in the order of the text.
 *
 * A hostile document has thousands, and to word one costs far more than to find it.
 */
export function wordFindings(
  findings: readonly Finding[],
  document: SourceDocument,
): readonly Diagnostic[] {
  const locate = createLocator(document, { listed: LISTED });
  const located = findings.map((finding) => ({ finding, span: locate(finding.path) }));
  return firstInText(located).map(({ finding, span }) =>
    finding.word(toPlace(finding.path, span, document)),
  );
}

/** Gives diagnostics in the model their place in the document, each by its own path. */
export function placeDiagnostics(
  diagnostics: readonly Diagnostic[],
  document: SourceDocument,
): readonly Diagnostic[] {
  const locate = createLocator(document, { listed: LISTED });
  return diagnostics.map((diagnostic) => {
    const { path } = diagnostic;
    return Object.freeze({ ...diagnostic, ...toPlace(path, locate(path), document) });
  });
}

function toPlace(
  path: string,
  span: SourceLocation | null,
  { logicalPath }: SourceDocument,
): FindingPlace {
  return span === null ? { path, logicalPath } : { path, logicalPath, span };
}

interface LocatedFinding {
  readonly finding: Finding;
  readonly span: SourceLocation | null;
}

function firstInText(located: readonly LocatedFinding[]): readonly LocatedFinding[] {
  if (located.length <= MAX_WORDED) return located;
  const sorted = located.toSorted(byPlace);
  const last = sorted[MAX_WORDED - 1];
  // What stands at one place is put in order by its words, so it is kept together.
  return sorted.filter(
    (item, at) => at < MAX_WORDED || (last !== undefined && byPlace(item, last) === 0),
  );
}

/** The order of reports, as far as it is known without words. */
function byPlace(left: LocatedFinding, right: LocatedFinding): number {
  return (
    (left.span?.line ?? 0) - (right.span?.line ?? 0) ||
    (left.span?.column ?? 0) - (right.span?.column ?? 0) ||
    Number(left.finding.path > right.finding.path) - Number(left.finding.path < right.finding.path)
  );
}

/** More than the 128 diagnostics that a result holds, so that it still says that there were more. */
const MAX_WORDED = 160;

/** Mappings that the model holds as lists, with the field that an entry's own value becomes. */
const LISTED = {
  nodes: null,
  argument_matches: null,
  required_by_terminal: 'artifact_ids',
  capability_constraints: 'constraints',
};
