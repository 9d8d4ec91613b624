import { execFileSync } from 'node:child_process';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { directoryTree, type ReviewSource, scriptedRole } from '@millforge/kernel/review';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../fixture.ts';
import { review, writeTree } from './fixture.ts';

const roles = [scriptedRole('security')];

function tree(files: { readonly [path: string]: string }): string {
  const directory = temporaryDirectory();
  writeTree(directory, files);
  return directory;
}

test('reviews a directory as it stands, named by the digest of its tree', async () => {
  const files = { 'a.ts': 'eval(a);\n', '.git/config': 'x', 'b/node_modules/c.ts': 'eval(c);\n' };
  const directory = tree(files);
  const first = await review({ source: directoryTree({ directory }), roles });
  const again = await review({ source: directoryTree({ directory: tree(files) }), roles });
  writeFileSync(join(directory, 'a.ts'), 'eval(b);\n');
  const changed = await review({ source: directoryTree({ directory }), roles });

  expect(first).toMatchObject({
    result: 'complete',
    revision: expect.stringMatching(/^tree:[0-9a-f]{64}$/),
    files: [{ path: 'a.ts' }],
    findings: [{ quote: 'eval(a);' }],
  });
  expect(again.revision).toBe(first.revision);
  expect(changed.revision).not.toBe(first.revision);
});

test('leaves out what it is told to, and names links as gaps', async () => {
  const directory = tree({ 'a.ts': '1\n', 'dist/a.js': 'eval(a);\n' });
  symlinkSync('a.ts', join(directory, 'link'));
  const source = directoryTree({ directory, ignore: ['dist'] });
  expect(await review({ source, roles })).toMatchObject({
    files: [{ path: 'a.ts' }],
    gaps: [{ type: 'path-not-captured', path: 'link', reason: 'link' }],
  });
});

/** A source that does something between the walk and the reading. */
function disturbed(source: ReviewSource, disturb: () => void): ReviewSource {
  return {
    identity: source.identity,
    async open(options) {
      const opened = await source.open(options);
      disturb();
      return opened;
    },
  };
}

test.each([
  ['changes', (directory: string) => writeFileSync(join(directory, 'a.ts'), '2\n')],
  ['goes away', (directory: string) => rmSync(join(directory, 'a.ts'))],
])('fails when a file %s after the tree was digested', async (_what, disturb) => {
  const directory = tree({ 'a.ts': '1\n' });
  const source = disturbed(directoryTree({ directory }), () => disturb(directory));
  await expect(review({ source, roles })).rejects.toThrow('"a.ts" changed while');
});

test('names what no tree can have as gaps, where they are in scope, and reviews the rest', async () => {
  const directory = tree({ 'a.ts': 'eval(a);\n', 'b/c.ts': '1\n' });
  symlinkSync('/etc/passwd', join(directory, 'link'));
  execFileSync('mkfifo', [join(directory, 'b', 'pipe')]);
  writeFileSync(Buffer.concat([Buffer.from(`${directory}/latin`), Buffer.from([0xe9])]), '');
  const source = directoryTree({ directory });
  const whole = await review({ source, roles });
  expect(whole).toMatchObject({ result: 'partial', findings: [{ quote: 'eval(a);' }] });
  expect(whole.gaps).toEqual([
    { type: 'path-not-captured', path: 'b/pipe', reason: 'special' },
    { type: 'path-not-captured', path: 'latin\ufffd', reason: 'name-not-text' },
    { type: 'path-not-captured', path: 'link', reason: 'link' },
  ]);
  expect(await review({ source, roles, paths: ['a.ts'] })).toMatchObject({ result: 'complete' });
});

test('refuses a rule that is none', () => {
  expect(() => directoryTree({ directory: '/', ignore: ['../x'] })).toThrow(
    expect.objectContaining({ code: 'review/options-invalid' }),
  );
});
