import { constants } from 'node:os';
import { type PublishOutcome, publicationDiagnostics } from '@millforge/compiler/publish';
import { expect, test } from 'vitest';

const file = { fileName: 'a@1.compiled.json', sha256: '0'.repeat(64) };
const leftover = { fileName: '.a.tmp', errorCode: 'EIO' };

test.each<[string, PublishOutcome, readonly string[]]>([
  ['success', { kind: 'published', ...file, reused: false }, []],
  ['bytes that are no plan', { kind: 'rejected', problems: ['It is empty.'] }, ['MF-L002']],
  ['another file', { kind: 'conflict', ...file, leftover: null }, ['MF-O004']],
  [
    'a full disk',
    { kind: 'not_written', reason: 'Full.', errorCode: 'ENOSPC', leftover },
    ['MF-O003', 'MF-O005'],
  ],
  [
    'a disk that does not confirm',
    { kind: 'publish_unsure', ...file, errorCode: 'EIO', leftover: null },
    ['MF-O003'],
  ],
  [
    'a temporary file that stays',
    { kind: 'publish_unsure', ...file, errorCode: null, leftover },
    ['MF-O005'],
  ],
])('reports %s', (_name, outcome, codes) => {
  expect(publicationDiagnostics(outcome).map(({ code }) => code)).toEqual(codes);
});

test('names the number and the code of a system error, and the file that was left', () => {
  const found = publicationDiagnostics({
    kind: 'not_written',
    reason: 'The plan could not be written.',
    errorCode: 'ENOSPC',
    leftover,
  });
  expect(found).toMatchObject([
    {
      hint: 'The plan could not be written. The system said ENOSPC.',
      fields: [{ key: 'errno', value: constants.errno.ENOSPC }],
    },
    {
      hint: 'Remove .a.tmp. The system said EIO.',
      fields: [{ key: 'errno', value: constants.errno.EIO }],
    },
  ]);
});

test('says nothing but the code of an error that the system does not number', () => {
  const [found] = publicationDiagnostics({
    kind: 'not_written',
    reason: 'No.',
    errorCode: 'UNKNOWN',
    leftover: null,
  });
  expect(found?.fields).toBeUndefined();
});
