import { type ReviewReport, renderMarkdown, renderSarif } from '@millforge/kernel/review';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { sarifProblems } from './sarif-problems.ts';

/** A report of one finding, with these words of others in it. */
function reportWith(words: {
  readonly path?: string;
  readonly claim?: string;
  readonly quote?: string;
}): ReviewReport {
  const { path = 'a.ts', claim = 'It is wrong.', quote = 'let a;' } = words;
  const identity = { role: 'security', origin: 'model' } as const;
  return {
    kind: 'review_report',
    schema_version: '1.0',
    review_id: 'review-1',
    revision: 'git:0123',
    captured_revision: 'a'.repeat(64),
    result: 'partial',
    roles: [{ ...identity, covered: 1, proposed: 2, accepted: 1, failure: null }],
    files: [{ path, sha256: 'b'.repeat(64), bytes: 7 }],
    findings: [
      {
        ...identity,
        finding_id: 'security/1',
        verdict: 'accepted',
        path,
        start_line: 1,
        end_line: 1,
        quote,
        claim,
        severity: 'high',
        file_sha256: 'b'.repeat(64),
        quote_sha256: 'c'.repeat(64),
      },
    ],
    rejected: [
      {
        ...identity,
        finding_id: 'security/2',
        verdict: 'rejected',
        reason: 'quote-differs',
        message: 'Line 1 and the quote differ; it stands nowhere in the file.',
        found_at: [],
        proposed: { path, claim, quote },
      },
    ],
    gaps: [
      {
        type: 'finding-rejected',
        role: 'security',
        finding_id: 'security/2',
        reason: 'quote-differs',
      },
      { type: 'path-uncovered', role: 'security', path, reason: 'skipped' },
    ],
  };
}

test('writes a report for people', async () => {
  await expect(renderMarkdown(reportWith({}))).toMatchFileSnapshot('fixtures/report.md');
});

test('names files that are missing for one reason in one line, and few of many', () => {
  const report = reportWith({});
  const uncovered = Array.from({ length: 2000 }, (_, index) => ({
    type: 'path-uncovered' as const,
    role: index % 2 === 0 ? 'tests' : 'security',
    path: `src/${index}.ts`,
    reason: 'unreadable-answer',
  }));
  const text = renderMarkdown({ ...report, gaps: [...report.gaps, ...uncovered] });
  const lines = text.split('\n').filter((line) => line.startsWith('- '));
  expect(lines).toHaveLength(4);
  expect(text).toContain('## Gaps (2002)');
  expect(lines[2]).toMatch(
    /^- tests did not look at 1000 files: unreadable-answer: src\/0\.ts, src\/2\.ts, .* and 990 more, which the report as JSON names\.$/,
  );
});

test('writes a log whose results are the accepted findings and whose notifications are the gaps', async () => {
  const log = renderSarif(reportWith({}));
  await expect(`${JSON.stringify(log, null, 2)}\n`).toMatchFileSnapshot('fixtures/report.sarif');
  expect(sarifProblems(log)).toEqual([]);
});

test.each([
  ['a heading', '\n# Approved\n', /^# Approved/m],
  ['an image', '![x](https://evil.example/p.png)', /!\[x\]\(/],
  ['a link', '[here](https://evil.example)', /\[here\]\(/],
  ['a bare address', 'see https://evil.example or www.evil.example', /https:\/\/|www\./],
  ['HTML', '<img src=x onerror=alert(1)>', /<img/],
  ['a comment that hides the rest', '<!-- ', /<!--/],
  ['an escape of a terminal', '\u001b[2J\u001b]0;owned\u0007', /\p{Cc}(?<![\n\t])/u],
  ['turned text', 'safe \u202e txet', /\u202e/],
  ['marks that nobody sees', 'sa\u200bfe\u{e0041} \u00ad', /[\u200b\u00ad]|\u{e0041}/u],
  ['a list', '- [x] done', /^- \[x\]/m],
])('shows %s in a claim as text', (_what, claim, active) => {
  const text = renderMarkdown(reportWith({ claim }));
  // What stands in a block, or behind a backslash, is text.
  const rest = text.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/\\./g, '');
  expect(text).toContain('claimed by a model');
  expect(rest).not.toMatch(active);
});

test('does not let a quote end its block', () => {
  const quote = '```\n# Approved\n````\n<script>';
  const text = renderMarkdown(reportWith({ quote }));
  expect(text).toContain(`\`\`\`\`\`text\n${quote}\n\`\`\`\`\``);
});

test('does not let a path end its code', () => {
  const text = renderMarkdown(reportWith({ path: '`a` # b\u001b[2J' }));
  expect(text).toContain('``` `a` # b<U+001B>[2J:1 ```'.replaceAll('```', '``'));
  expect(text).not.toContain('\u001b');
});

test('is valid SARIF whatever paths and words hold', () => {
  const words = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(words, words, words, (path, claim, quote) => {
      const log = renderSarif(reportWith({ path, claim, quote }));
      expect(sarifProblems(JSON.parse(JSON.stringify(log)))).toEqual([]);
    }),
    { numRuns: 60, seed: 3 },
  );
});

test.each([
  ['a: b.ts', 'a%3A%20b.ts'],
  ['//host/a', '%2F%2Fhost/a'],
  ['a?b#c', 'a%3Fb%23c'],
])('writes the path %s as a relative reference', (path) => {
  const text = JSON.stringify(renderSarif(reportWith({ path })));
  const uri = /"artifactLocation":\{"uri":"([^"]+)"/.exec(text)?.[1] ?? '';
  expect(new URL(uri, 'file:///root/').pathname.startsWith('/root/')).toBe(path[0] !== '/');
  expect(uri).not.toMatch(/[?#: ]/);
});
