import type { Diagnostic } from '@millforge/contracts';
import { locate, type SourceDocument } from '@millforge/source';

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
  const placed = findings.map(({ path, word }) => ({ place: placeIn(document, path), word }));
  return firstInText(placed).map(({ place, word }) => word(place));
}

/** Gives diagnostics in the model their place in the document, each by its own path. */
export function placeDiagnostics(
  diagnostics: readonly Diagnostic[],
  document: SourceDocument,
): readonly Diagnostic[] {
  return diagnostics.map((diagnostic) =>
    Object.freeze({ ...diagnostic, ...placeIn(document, diagnostic.path) }),
  );
}

function placeIn(document: SourceDocument, path: string): FindingPlace {
  const span = locate(document, path, { listed: LISTED });
  const { logicalPath } = document;
  return span === null ? { path, logicalPath } : { path, logicalPath, span };
}

interface Placed extends Pick<Finding, 'word'> {
  readonly place: FindingPlace;
}

function firstInText(placed: readonly Placed[]): readonly Placed[] {
  if (placed.length <= MAX_WORDED) return placed;
  const sorted = placed.toSorted((left, right) => byPlace(left.place, right.place));
  const last = sorted[MAX_WORDED - 1];
  // What stands at one place is put in order by its words, so it is kept together.
  return sorted.filter(
    ({ place }, at) => at < MAX_WORDED || (last && byPlace(place, last.place) === 0),
  );
}

/** The order of reports, as far as it is known without words. */
function byPlace(left: FindingPlace, right: FindingPlace): number {
  return (
    (left.span?.line ?? 0) - (right.span?.line ?? 0) ||
    (left.span?.column ?? 0) - (right.span?.column ?? 0) ||
    Number(left.path > right.path) - Number(left.path < right.path)
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
