import { execFileSync } from 'node:child_process';
import { casesOf } from '../harness/case-builder.ts';
import { files } from '../harness/fixture.ts';
import type { OracleCase } from '../harness/oracle-case.ts';

const names = ['B', 'a', 'É', 'e', 'z', '_x', '-x', '.hidden', '10', '9', 'ä', 'Zz', 'a.b', 'a-b'];
const listed = (folder: string) => {
  files({
    ...Object.fromEntries(names.map((name) => [name, ''])),
    'Dir/': { folder: 0o755 },
    'to-dir': { link: 'Dir' },
  })(folder);
  execFileSync('mkfifo', [`${folder}/pipe`]);
};
const many = (count: number, name = 'f') =>
  files(Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}${index}`, ''])));
const order = casesOf('ls', 61, listed);
const three = casesOf('ls', 62, files({ a: '', b: '', c: '' }));
const odd = casesOf(
  'ls',
  63,
  files({ f: '', 'd/x': '', 'closed/': { folder: 0 }, 'new\nline/x': '' }),
);

export const lsCases: readonly OracleCase[] = [
  casesOf('ls', 61, files({}))({}),
  order({}, { differs: { default: 'KB-51' } }),
  casesOf(
    'ls',
    61,
    files({ a: '', b: { link: 'nowhere' } }),
  )({}, { differs: { default: 'KB-44' } }),
  three({ limit: 2 }),
  three({ limit: 3 }),
  three({ limit: 0 }, { differs: { default: 'KB-30' } }),
  three({ limit: -1 }, { differs: { default: 'KB-30' } }),
  three({ limit: 1.5 }, { differs: { default: 'KB-30' } }),
  casesOf('ls', 62, many(500))({}),
  casesOf('ls', 62, many(501))({}),
  casesOf('ls', 62, many(400, 'x'.repeat(200)))({}),
  casesOf('ls', 62, many(520, 'x'.repeat(200)))({}),
  odd({ path: 'f' }),
  odd({ path: 'missing' }),
  odd({ path: 'closed' }, { isBounded: true }),
  odd({ path: '@d' }),
  odd({ path: '~/none' }),
  odd({}, { differs: { default: 'KB-44' } }),
  odd({}, { abort: 'before' }),
];
