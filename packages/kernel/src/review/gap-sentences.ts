import { describeGap } from './describe-gap.ts';
import type { ReviewGap, ReviewReport } from './review-report.ts';

/** Says what is missing, in one sentence for all files of one reason; each in the place of its first gap. */
export function gapSentences(report: Pick<ReviewReport, 'gaps' | 'rejected'>): readonly string[] {
  const groups = new Map<string, ReviewGap[]>();
  for (const [index, gap] of report.gaps.entries()) {
    const key = likeness(gap) ?? `${index}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [gap]);
    else group.push(gap);
  }
  return [...groups.values()].map((group) => {
    const [first, ...others] = group;
    if (first === undefined) return '';
    return others.length === 0 ? describeGap(first, report) : describeGroup(first, group);
  });
}

/** What the gaps of a group have in common; null for a gap that stands alone. */
function likeness(gap: ReviewGap): string | null {
  if (gap.type === 'path-uncovered') return JSON.stringify([gap.type, gap.role, gap.reason]);
  if (gap.type !== 'path-not-captured') return null;
  return JSON.stringify([gap.type, gap.reason, gap.since ?? null]);
}

function describeGroup(first: ReviewGap, group: readonly ReviewGap[]): string {
  const files = filesOf(group);
  if (first.type === 'path-uncovered') {
    return `${first.role} did not look at ${group.length} files: ${first.reason}: ${files}.`;
  }
  if (first.type !== 'path-not-captured') return files;
  return first.since === undefined
    ? `${group.length} files were not captured: ${first.reason}: ${files}.`
    : `${group.length} files are not changed since ${first.since}, so nobody looked at them: ${files}.`;
}

/** The first paths of a group; who wants all of them has the report as a document. */
function filesOf(group: readonly ReviewGap[]): string {
  const paths = group.flatMap((gap) => ('path' in gap ? [gap.path] : []));
  const shown = paths.slice(0, SHOWN_PATHS).join(', ');
  const more = paths.length - SHOWN_PATHS;
  return more <= 0 ? shown : `${shown} and ${more} more, which the report as JSON names`;
}

const SHOWN_PATHS = 10;
