import { casesOf } from '../harness/case-builder.ts';
import { files } from '../harness/fixture.ts';
import type { OracleCase } from '../harness/oracle-case.ts';

const some = files({
  f: 'old',
  bom: '\uFEFFold\n',
  link: { link: 'f' },
  dangling: { link: 'new' },
  run: { content: 'old', mode: 0o755 },
  'd/': { folder: 0o755 },
  'closed/': { folder: 0o555 },
});
const write = casesOf('write', 43, some);
const sizes = casesOf('write', 44, some);
const refused = casesOf('write', 45, some);

export const writeCases: readonly OracleCase[] = [
  write({ path: 'a/b/c', content: 'x' }),
  write({ path: 'f', content: 'new\n' }),
  write({ path: 'f', content: '' }),
  write({ path: 'f', content: 'a\r\nb\r\n' }),
  write({ path: 'bom', content: 'new\n' }),
  write({ path: 'link', content: 'new' }),
  write({ path: 'dangling', content: 'new' }),
  write({ path: 'run', content: 'new' }),
  write({ path: '@f', content: 'new' }),
  sizes({ path: 'f', content: '你好🙂' }, { differs: { default: 'KB-31' } }),
  sizes({ path: 'f', content: 'a\uD800b' }, { differs: { default: 'KB-31' } }),
  refused({ path: 'd', content: 'x' }),
  refused({ path: 'f/x', content: 'x' }),
  refused({ path: '', content: 'x' }),
  refused(
    { path: 'a\0b', content: 'x' },
    { differs: { default: 'a path with NUL is refused in our words' } },
  ),
  refused({ path: 'x'.repeat(300), content: 'x' }),
  refused({ path: 'closed/x', content: 'x' }, { isBounded: true }),
  refused({ path: 'new/x', content: 'x' }, { abort: 'before' }),
];
