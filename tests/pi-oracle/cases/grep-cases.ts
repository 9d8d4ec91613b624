import { execFileSync } from 'node:child_process';
import { casesOf } from '../harness/case-builder.ts';
import { files } from '../harness/fixture.ts';
import type { OracleCase, SkippedCase } from '../harness/oracle-case.ts';

const repository = (entries: Parameters<typeof files>[0]) => (folder: string) => {
  files(entries)(folder);
  execFileSync('git', ['init', '-q', '--template=', folder]);
};
const tree = {
  'a.txt': 'hit one\nmiss\nhit two\n',
  'src/x.ts': 'const hit = 1;\n',
  'src/deep/y.ts': 'hit\nb\nc\nhit\nd\n',
  '.hid/h.txt': 'hit hidden\n',
  'ig/z.txt': 'hit ignored\n',
  'node_modules/m.js': 'hit module\n',
  '.gitignore': 'ig/\n',
  'f(x).txt': 'f(x) = hit\n',
  'windows.txt': 'one\r\nHIT two\r\n',
  'dash.txt': '-v --pre=/bin/true\n',
};
const grep = (row: number) => {
  const make = casesOf('grep', row, repository(tree));
  return (input: object, extra: Parameters<typeof make>[1] = {}) =>
    make(input, { isUnordered: true, ...extra });
};
const many = (count: number, text = 'hit') =>
  casesOf('grep', 49, repository({ 'f.txt': `${text}\n`.repeat(count) }));
const lines = casesOf(
  'grep',
  50,
  repository({
    'f.txt': `hit${'x'.repeat(497)}\nhit${'x'.repeat(498)}\nhit hit\n`,
    'g.txt': `pit${'x'.repeat(496)}🙂\n`,
    'h.txt': `${'x'.repeat(1_000_000)}fit\n`,
  }),
);
const odd = casesOf(
  'grep',
  52,
  repository({
    'crlf.txt': 'a\r\nfind me\r\nb\r\n',
    'cr.txt': 'a\rfind it\rb\nlast\n',
    'utf16.txt': Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('find wide\n', 'utf16le')]),
    'bom.txt': '\uFEFFfind bom\n',
    'bin/a.bin': Buffer.from('find\0binary\n'),
    'late/b.bin': Buffer.concat([
      Buffer.from(`find early\n${'x\n'.repeat(50_000)}`),
      Buffer.from('find\0late\n'),
    ]),
    'wild.txt': Buffer.from([0xff, 0x66, 0x69, 0x6e, 0x64, 0x0a]),
  }),
);
const closed = casesOf(
  'grep',
  53,
  repository({ 'a.txt': 'hit\n', 'closed.txt': { content: 'hit\n', mode: 0 } }),
);
const linked = casesOf(
  'grep',
  54,
  repository({
    'd/a.txt': 'hit\n',
    'to-d': { link: 'd' },
    'to-a': { link: 'd/a.txt' },
  }),
);
const own = (mark: string) => ({ differs: { default: mark } });
const both = (mark: string) => ({ differs: { strict: mark, default: mark } });

export const grepCases: readonly OracleCase[] = [
  grep(46)({ pattern: 'hit' }),
  grep(46)({ pattern: 'hit', path: 'ig' }),
  grep(46)({ pattern: 'hit', path: '.hid' }),
  casesOf(
    'grep',
    46,
    files({ 'a.txt': 'hit\n', 'ig/b.txt': 'hit\n', '.gitignore': 'ig/\n' }),
  )({ pattern: 'hit' }, { isUnordered: true }),
  casesOf(
    'grep',
    46,
    repository({
      'a.txt': 'hit\n',
      'b.txt': 'hit\n',
      'c.txt': 'hit\n',
      '.ignore': 'b.txt\n',
      '.rgignore': 'c.txt\n',
    }),
  )({ pattern: 'hit' }, { isUnordered: true }),
  grep(47)({ pattern: 'hit', path: 'a.txt' }),
  grep(47)({ pattern: 'miss', path: 'a.txt', context: 1 }),
  grep(47)({ pattern: 'hit', path: 'src/deep/y.ts', context: 2 }, own('KB-35')),
  grep(47)({ pattern: 'two', path: 'a.txt', context: 3 }, own('KB-35')),
  grep(47)({ pattern: 'HIT', path: 'a.txt', ignoreCase: true }),
  grep(47)({ pattern: 'f(x)', literal: true }),
  grep(47)({ pattern: '^hit', path: 'a.txt' }),
  grep(47)({ pattern: 'one$', path: 'a.txt' }),
  grep(47)({ pattern: '', path: 'a.txt' }),
  grep(47)({ pattern: '--pre=/bin/true' }),
  grep(47)({ pattern: '-v' }),
  grep(48)({ pattern: '(' }, both('the words of the engine')),
  grep(48)({ pattern: 'a(?=b)' }, both('the words of the engine')),
  grep(48)({ pattern: '(a)\\1' }, both('the words of the engine')),
  grep(48)({ pattern: 'a\\nb' }, both('the words of the engine')),
  grep(48)({ pattern: 'a', glob: '[' }, both('the words of the engine')),
  many(2)({ pattern: 'hit', limit: 2 }, own('KB-30')),
  many(3)({ pattern: 'hit', limit: 2 }),
  many(3)({ pattern: 'hit', limit: 1, context: 1 }),
  many(3)({ pattern: 'hit', limit: 0 }),
  many(3)({ pattern: 'hit', limit: -5 }),
  many(150)({ pattern: 'hit' }),
  many(100)({ pattern: 'hit' }, own('KB-30')),
  many(300, `hit${'y'.repeat(490)}`)({ pattern: 'hit', limit: 200 }),
  many(300, `hit${'y'.repeat(600)}`)({ pattern: 'hit', limit: 200 }),
  lines({ pattern: 'hit' }, { isUnordered: true }),
  lines({ pattern: 'pit' }, own('KB-30')),
  lines({ pattern: 'fit' }),
  ...['*.ts', '**/*.ts', '!*.txt', '*.{ts,txt}'].map((glob) => grep(51)({ pattern: 'hit', glob })),
  grep(51)({ pattern: 'hit', glob: 'src/*.ts' }, own('KB-33')),
  grep(51)({ pattern: 'hit', glob: './src/*.ts' }, own('KB-33')),
  grep(51)({ pattern: 'hit', glob: '/src/*.ts' }, own('KB-33')),
  grep(51)({ pattern: 'hit', glob: 'src/' }, own('KB-33')),
  grep(51)({ pattern: 'hit', glob: '*.ts', path: 'a.txt' }),
  odd({ pattern: 'find me', path: 'crlf.txt' }),
  odd({ pattern: 'find it', path: 'cr.txt' }),
  odd({ pattern: 'find it', path: 'cr.txt', context: 1 }, own('KB-35')),
  odd({ pattern: 'find wide', path: 'utf16.txt' }),
  odd({ pattern: 'find wide', path: 'utf16.txt', context: 1 }, own('KB-35')),
  odd({ pattern: '^find bom', path: 'bom.txt' }),
  odd({ pattern: 'find', path: 'bin' }),
  odd({ pattern: 'binary', path: 'bin/a.bin' }),
  odd({ pattern: 'find', path: 'late' }),
  odd({ pattern: 'find', path: 'wild.txt' }),
  closed({ pattern: 'hit' }, { isBounded: true, ...own('KB-32') }),
  linked({ pattern: 'hit', path: 'missing' }),
  linked({ pattern: 'hit', path: '@d' }),
  linked({ pattern: 'hit', path: 'to-d' }),
  linked({ pattern: 'hit', path: 'to-a' }),
  linked({ pattern: 'hit' }, { isUnordered: true }),
  linked({ pattern: 'hit' }, { abort: 'before' }),
];

export const grepSkips: readonly SkippedCase[] = [
  { row: 53, title: 'a name that is not UTF-8', reason: 'Pi prints no row for it (KB-44)' },
  { row: 53, title: 'RIPGREP_CONFIG_PATH', reason: 'Pi reads it (KB-34); both sides run without' },
  { row: 54, title: 'stop after 3 ms', reason: 'whether it comes in time depends on the machine' },
];
