import { type PublishOutcome, publicationDiagnostics } from '@millforge/compiler/publish';
import { expect, test } from 'vitest';

const file = { fileName: 'a@1.compiled.json', sha256: '0'.repeat(64) };

test.each<[string, PublishOutcome, readonly string[]]>([
  ['success', { kind: 'published', ...file, reused: false, leftover: null }, []],
  ['bytes that are no plan', { kind: 'rejected', problems: ['It is empty.'] }, ['MF-L002']],
  ['another file', { kind: 'conflict', ...file, leftover: null }, ['MF-O004']],
  [
    'a full disk',
    { kind: 'not_written', reason: 'Full.', errorCode: 'ENOSPC', leftover: '.a.tmp' },
    ['MF-O003', 'MF-O005'],
  ],
  [
    'a disk that does not confirm',
    { kind: 'publish_unsure', ...file, errorCode: 'EIO', leftover: null },
    ['MF-O003'],
  ],
])('reports %s', (_name, outcome, codes) => {
  expect(publicationDiagnostics(outcome).map(({ code }) => code)).toEqual(codes);
});

test('names the reason of the system and the file that was left', () => {
  const found = publicationDiagnostics({
    kind: 'not_written',
    reason: 'The plan could not be written.',
    errorCode: 'ENOSPC',
    leftover: '.a.tmp',
  });
  expect(found).toMatchObject([
    { fields: [{ key: 'errno', value: 'ENOSPC' }] },
    { hint: 'Remove .a.tmp.' },
  ]);
});
