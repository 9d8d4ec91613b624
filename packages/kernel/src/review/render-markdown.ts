import { gapSentences } from './gap-sentences.ts';
import { CLAIMED_BY } from './render-sarif.ts';
import type { AcceptedFinding, RejectedFinding } from './review-finding.ts';
import type { ReportedRole, ReviewReport } from './review-report.ts';

/**
 * Writes a review as Markdown for people.
 *
 * Words of models and of the reviewed files are shown as text: they make no headings, links, images or HTML.
 */
export function renderMarkdown(report: ReviewReport): string {
  return `${[
    `# Review of ${code(report.revision)}`,
    verdictOf(report),
    'The quotes below stand in the revision. Whether the claims about them are true, a person decides.',
    '## Who looked',
    table(report),
    `## Findings (${report.findings.length})`,
    ...(report.findings.length === 0 ? ['None.'] : report.findings.map(finding)),
    ...(report.rejected.length === 0
      ? []
      : [`## Rejected findings (${report.rejected.length})`, ...report.rejected.map(rejected)]),
    ...(report.gaps.length === 0
      ? []
      : [
          `## Gaps (${report.gaps.length})`,
          gapSentences(report)
            .map((sentence) => `- ${plain(sentence)}`)
            .join('\n'),
        ]),
    `Review ${code(report.review_id)}, captured revision ${code(report.captured_revision)}.`,
  ].join('\n\n')}\n`;
}

function verdictOf({ result, files, gaps }: ReviewReport): string {
  if (result === 'complete' && files.length === 0) {
    return '**Complete**: nothing in scope changed, or nothing is in it, so nobody had anything to look at.';
  }
  const scope = `${files.length} ${files.length === 1 ? 'file' : 'files'} in scope`;
  return result === 'complete'
    ? `**Complete**: every role looked at all of ${scope}, and no finding was rejected.`
    : `**Partial**: ${scope}, ${gaps.length} ${gaps.length === 1 ? 'gap' : 'gaps'} listed below.`;
}

function table({ roles, files }: ReviewReport): string {
  const row = ({ role, origin, covered, proposed, accepted, failure }: ReportedRole): string =>
    `| ${role} | ${origin === 'scripted' ? 'script, no model looked' : origin} | ${covered} of ${files.length} | ${accepted} of ${proposed} | ${failure === null ? '' : plain(failure.code)} |`;
  return [
    '| role | by | files looked at whole | findings accepted | ended early |',
    '|---|---|---|---|---|',
    ...roles.map(row),
  ].join('\n');
}

function finding(one: AcceptedFinding): string {
  const lines =
    one.start_line === one.end_line ? `${one.start_line}` : `${one.start_line}–${one.end_line}`;
  return [
    `### ${one.severity}: ${code(`${one.path}:${lines}`)}`,
    `${CLAIMED_BY[one.origin].replace('[', '*').replace(']', '*')} ${plain(one.claim)}`,
    fenced(one.quote),
    code(one.finding_id),
  ].join('\n\n');
}

function rejected(one: RejectedFinding): string {
  return [
    `### ${code(one.finding_id)}: ${one.reason}`,
    plain(one.message),
    fenced(JSON.stringify(one.proposed, null, 2)),
  ].join('\n\n');
}

/** Text in which nothing is Markdown, HTML or an address, and no control character reaches a terminal. */
function plain(text: string): string {
  return visible(text)
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll(/[\\`*_{}[\]<>#|~&!]/g, (mark) => `\\${mark}`)
    .replaceAll('://', '\\://')
    .replaceAll('www.', 'www\\.')
    .replace(/^(?=[-+=])/, '\\')
    .replace(/^(\d+)(?=[.)])/, '$1\\');
}

function code(text: string): string {
  const shown = visible(text).replaceAll('\n', ' ');
  const fence = '`'.repeat(longestRun(shown) + 1);
  const isTouching = shown.startsWith('`') || shown.endsWith('`');
  return isTouching ? `${fence} ${shown} ${fence}` : `${fence}${shown}${fence}`;
}

function fenced(text: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}text\n${visible(text)}\n${fence}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}

/** Control characters and those that nobody sees or that turn text around, as names; tabs and line feeds stay. */
function visible(text: string): string {
  return text.replaceAll(HIDDEN, (character) => {
    const name = (character.codePointAt(0) ?? 0).toString(16).padStart(4, '0');
    return `<U+${name.toUpperCase()}>`;
  });
}

const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\u115f\u1160\u2028\u2029\u3164\uffa0]/gu;
