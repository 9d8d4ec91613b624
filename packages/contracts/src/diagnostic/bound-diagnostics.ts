import { canonicalJson } from '../json/canonical-json.ts';
import { compareCodePoints } from '../json/compare-code-points.ts';
import { defineDiagnostics } from './define-diagnostics.ts';
import { type Diagnostic, toDiagnosticJson } from './diagnostic.ts';

/** The order in which diagnostics are reported. */
export interface DiagnosticOrder {
  /** Phases, first to last. */
  readonly phases: readonly string[];
  /** Rank of codes inside a phase; a phase without an entry ranks all its codes alike. */
  readonly precedence?: { readonly [phase: string]: PhasePrecedence };
}

/** Rank of the codes of one phase, low first. */
export interface PhasePrecedence {
  /** Rank of single codes. */
  readonly codes: { readonly [code: string]: number };
  /** Rank of every other code. */
  readonly others: number;
}

/** Sorts by phase, rank, line, column, path, code, node and message, so that input order never shows. */
export function sortDiagnostics(
  diagnostics: readonly Diagnostic[],
  order: DiagnosticOrder,
): readonly Diagnostic[] {
  return diagnostics.toSorted(
    (a, b) =>
      phaseRank(a, order) - phaseRank(b, order) ||
      codeRank(a, order) - codeRank(b, order) ||
      (a.span?.line ?? 0) - (b.span?.line ?? 0) ||
      (a.span?.column ?? 0) - (b.span?.column ?? 0) ||
      compareCodePoints(a.path, b.path) ||
      compareCodePoints(a.code, b.code) ||
      compareCodePoints(a.nodeId ?? '', b.nodeId ?? '') ||
      compareCodePoints(a.message, b.message),
  );
}

/** Sorts, then keeps at most 128 diagnostics and 262,144 bytes; a cut ends with the warning `MF-D001`. */
export function boundDiagnostics(
  diagnostics: readonly Diagnostic[],
  order: DiagnosticOrder,
): readonly Diagnostic[] {
  const sorted = sortDiagnostics(diagnostics, order);
  if (sorted.length <= MAX_DIAGNOSTICS && listBytes(sorted.map(bytesOf)) <= MAX_LIST_BYTES) {
    return sorted;
  }
  const truncation = diagnosticsTruncated({ path: '/' });
  const kept = sorted.filter(({ code }) => code !== truncation.code).slice(0, MAX_DIAGNOSTICS - 1);
  const sizes = [bytesOf(truncation), ...kept.map(bytesOf)];
  while (sizes.length > 1 && listBytes(sizes) > MAX_LIST_BYTES) sizes.pop();
  return [...kept.slice(0, sizes.length - 1), truncation];
}

function phaseRank({ phase }: Diagnostic, { phases }: DiagnosticOrder): number {
  const rank = phases.indexOf(phase);
  return rank < 0 ? phases.length : rank;
}

function codeRank({ phase, code }: Diagnostic, { precedence }: DiagnosticOrder): number {
  const ranks = precedence?.[phase];
  return ranks === undefined ? 0 : (ranks.codes[code] ?? ranks.others);
}

function bytesOf(diagnostic: Diagnostic): number {
  // Canonical JSON is ASCII, so its length is its size.
  return canonicalJson(toDiagnosticJson(diagnostic), { newline: false }).length;
}

function listBytes(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total + size + 1, 1);
}

const MAX_DIAGNOSTICS = 128;
const MAX_LIST_BYTES = 262_144;

const { diagnosticsTruncated } = defineDiagnostics('MF-D001', {
  diagnosticsTruncated: {
    code: 'MF-D001',
    name: 'diagnostics-truncated',
    severity: 'warning',
    phase: 'internal',
    message: () => 'Diagnostics were truncated.',
  },
});
