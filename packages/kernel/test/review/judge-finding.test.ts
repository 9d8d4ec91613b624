import type { JsonValue } from '@millforge/contracts';
import { modelRole, type ReviewReport } from '@millforge/kernel/review';
import { expect, test } from 'vitest';
import { answering, answerOf, head, repositoryOf, review } from './fixture.ts';

const FILES = {
  'crlf.ts': 'one\r\ntwo\r\nthree\r\n',
  'open.ts': 'first\nlast without an end',
  'twice.ts': 'same\nother\nsame\n',
  'blank.ts': 'a\n\nb\n',
  'empty.ts': '',
  'image.png': new Uint8Array([1, 0, 2]),
};

function at(path: string, [start_line, end_line]: [number, number], quote: string) {
  return { path, start_line, end_line, quote, claim: 'It is wrong.', severity: 'low' };
}

const TRUE_FINDINGS = [
  ['lines with other ends', at('crlf.ts', [1, 2], 'one\ntwo')],
  ['a quote with other ends', at('crlf.ts', [1, 2], 'one\r\ntwo')],
  ['a quote with an end behind it', at('crlf.ts', [3, 3], 'three\n')],
  ['a last line without an end', at('open.ts', [2, 2], 'last without an end')],
  ['an empty line', at('blank.ts', [2, 2], '')],
] as const;

const FALSE_FINDINGS = [
  ['a line moved by one', at('crlf.ts', [2, 2], 'one'), 'quote-differs', [1]],
  ['a quote of too few lines', at('crlf.ts', [1, 2], 'one'), 'quote-differs', [1]],
  ['other blanks', at('crlf.ts', [1, 1], 'one '), 'quote-differs', []],
  ['a part of a line', at('open.ts', [2, 2], 'last'), 'quote-differs', []],
  ['a quote that stands twice elsewhere', at('twice.ts', [2, 2], 'same'), 'quote-differs', [1, 3]],
  ['a line behind the end', at('crlf.ts', [3, 4], 'three\n\n'), 'range-outside-file', []],
  ['a line of an empty file', at('empty.ts', [1, 1], ''), 'range-outside-file', []],
  ['a file that is no text', at('image.png', [1, 1], 'x'), 'not-text', []],
  ['another spelling of a path', at('./crlf.ts', [1, 1], 'one'), 'path-not-captured', []],
  ['lines in the wrong order', at('crlf.ts', [2, 1], 'one'), 'malformed', []],
  ['a line zero', at('crlf.ts', [0, 1], 'one'), 'malformed', []],
  ['half a line number', at('crlf.ts', [1.5, 2], 'one'), 'malformed', []],
] as const;

const NO_FINDINGS: readonly (readonly [string, JsonValue])[] = [
  ['a text', 'it is wrong'],
  ['a list', []],
  ['nothing', null],
  ['no quote', { path: 'crlf.ts', start_line: 1, end_line: 1, claim: 'x', severity: 'low' }],
  ['an unknown severity', { ...at('crlf.ts', [1, 1], 'one'), severity: 'awful' }],
  ['an endless claim', { ...at('crlf.ts', [1, 1], 'one'), claim: 'x'.repeat(5000) }],
  ['a field of another name', { ...at('crlf.ts', [1, 1], 'one'), path: 7, file: 'crlf.ts' }],
];

const proposed = [...TRUE_FINDINGS, ...FALSE_FINDINGS, ...NO_FINDINGS];
async function reviewAll(): Promise<ReviewReport> {
  const model = answering(() => answerOf(proposed.map(([, finding]) => finding)));
  return review({
    source: await head(repositoryOf(FILES)),
    roles: [modelRole({ role: 'correctness', model, modelIdentity: 'test' })],
  });
}

let reviewing: Promise<ReviewReport> | null = null;

/** What one review of all of them found out about the finding with this description. */
async function verdictOn(what: string) {
  reviewing ??= reviewAll();
  const report = await reviewing;
  const id = `correctness/${proposed.findIndex(([name]) => name === what) + 1}`;
  return [...report.findings, ...report.rejected].find(({ finding_id }) => finding_id === id);
}

test.each(TRUE_FINDINGS)('accepts %s', async (what, { path }) => {
  expect(await verdictOn(what)).toMatchObject({ verdict: 'accepted', path });
});

test.each(FALSE_FINDINGS)('rejects %s', async (...[what, finding, reason, found_at]) => {
  expect(await verdictOn(what)).toMatchObject({
    verdict: 'rejected',
    reason,
    found_at,
    proposed: finding,
  });
});

test.each(NO_FINDINGS)('keeps %s as a malformed finding', async (what, finding) => {
  expect(await verdictOn(what)).toMatchObject({ reason: 'malformed', proposed: finding });
});
