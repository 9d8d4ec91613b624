import { execFileSync } from 'node:child_process';
import { casesOf } from '../harness/case-builder.ts';
import { files } from '../harness/fixture.ts';
import type { OracleCase, SkippedCase } from '../harness/oracle-case.ts';

// Every fixture is a repository: the fd of Debian applies ignore files only there.
const repository = (entries: Parameters<typeof files>[0]) => (folder: string) => {
  files(entries)(folder);
  execFileSync('git', ['init', '-q', '--template=', folder]);
};
const names = [
  'a.txt',
  'b.ts',
  'A.TS',
  'src/x.ts',
  'src/x.spec.ts',
  'src/deep/y.ts',
  'src/deep/y.spec.ts',
  'pkg/src/z.ts',
  '.hid/h.ts',
  '.env',
  'ig/i.ts',
  '[x].ts',
  '!neg.ts',
  'sp ace.ts',
  '-dash.ts',
];
const tree = {
  ...Object.fromEntries(names.map((name) => [name, ''])),
  '.gitignore': 'ig/\n',
  'to-src': { link: 'src' },
  'to-a': { link: 'a.txt' },
  dangling: { link: 'nowhere' },
};
const find = (row: number) => {
  const make = casesOf('find', row, repository(tree));
  return (input: object, extra: Parameters<typeof make>[1] = {}) =>
    make(input, { isUnordered: true, ...extra });
};
const numbered = (count: number, name = 'f') =>
  casesOf(
    'find',
    59,
    repository(Object.fromEntries(Array.from({ length: count }, (_, i) => [`d/${name}${i}`, '']))),
  );
const own = (mark: string) => ({ differs: { default: mark } });
const both = (mark: string) => ({ differs: { strict: mark, default: mark } });
const VERSION_CONTROL = own('KB-43');
const CASE = own('KB-47');

export const findCases: readonly OracleCase[] = [
  find(55)({ pattern: '*.ts' }, CASE),
  find(55)({ pattern: '**/*.ts' }, CASE),
  find(55)({ pattern: 'src/**/*.spec.ts' }),
  find(55)({ pattern: 'src/*.ts' }, own('KB-38')),
  find(55)({ pattern: './src/*.ts' }, own('KB-37')),
  find(55)({ pattern: '/src/*.ts' }, own('KB-38')),
  find(55)({ pattern: 'src' }),
  find(55)({ pattern: 'src/' }, own('KB-38')),
  find(55)({ pattern: 'src/**' }, own('KB-38')),
  find(55)({ pattern: '**' }, VERSION_CONTROL),
  find(55)({ pattern: '*' }, VERSION_CONTROL),
  find(55)({ pattern: '' }, VERSION_CONTROL),
  find(56)({ pattern: 'A.TS' }),
  find(56)({ pattern: 'a.ts' }, CASE),
  find(56)({ pattern: '*.{TS,txt}' }),
  find(56)({ pattern: '[ab].t*' }, CASE),
  find(56)({ pattern: '\\[x\\].ts' }),
  find(56)({ pattern: '!neg.ts' }),
  find(56)({ pattern: '-dash.ts' }),
  find(56)({ pattern: '?.ts' }, CASE),
  find(56)({ pattern: '.*' }, VERSION_CONTROL),
  find(56)({ pattern: '[' }, own('the words of the engine')),
  find(57)({ pattern: '*.ts', path: 'src' }),
  find(57)({ pattern: '*.ts', path: '@src' }),
  find(57)({ pattern: '*.ts', path: 'src/' }),
  find(57)({ pattern: '*.ts', path: 'ig' }),
  find(57)({ pattern: '*.ts', path: 'to-src' }),
  find(57)({ pattern: '*', path: 'missing' }, both('the words of the engine')),
  find(57)({ pattern: '*', path: 'a.txt' }, both('the words of the engine')),
  casesOf(
    'find',
    58,
    repository({
      'a.log': '',
      'd/b.log': '',
      'd/keep.log': '',
      'e/c.log': '',
      '.gitignore': '*.log\n',
      'd/.gitignore': '!keep.log\n',
    }),
  )({ pattern: '*.log' }),
  casesOf('find', 58, repository({ a: '', b: '', '.ignore': 'a\n' }))({ pattern: '?' }),
  casesOf('find', 58, repository({ a: '', b: '', '.fdignore': 'a\n' }))({ pattern: '?' }),
  numbered(3)({ pattern: 'f*', limit: 2 }, { isAnySet: true }),
  numbered(2)({ pattern: 'f*', limit: 2 }, { isUnordered: true, ...own('KB-30') }),
  numbered(1000)({ pattern: 'f*' }, { isUnordered: true, ...own('KB-30') }),
  numbered(1000, 'f'.repeat(120))({ pattern: 'f*' }, { isUnordered: true, ...own('KB-30') }),
  find(60)({ pattern: 'to-*' }),
  find(60)({ pattern: 'dangling' }),
  find(60)({ pattern: '*' }, { abort: 'before' }),
];

export const findSkips: readonly SkippedCase[] = [
  { row: 57, title: 'path /', reason: 'the whole machine would be searched (KB-40)' },
  { row: 58, title: 'parent without a repository', reason: 'the fd of Debian does not apply it' },
  { row: 58, title: 'nested repository', reason: 'the fd of Debian does not show it (KB-39)' },
  { row: 58, title: 'a folder above the root', reason: 'the temporary folder is one (KB-38)' },
  { row: 59, title: '1001 files', reason: 'which 1000 Pi shows differs from run to run (KB-49)' },
  { row: 59, title: 'limits below 1 and fractions', reason: 'the words of clap (KB-30)' },
  { row: 60, title: 'odd names', reason: 'Pi breaks the rows (KB-44)' },
];
