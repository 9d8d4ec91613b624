import { casesOf } from '../harness/case-builder.ts';
import { files } from '../harness/fixture.ts';
import type { OracleCase, SkippedCase } from '../harness/oracle-case.ts';

const nothing = files({});
const shells = files({
  f: '',
  closed: { content: '#!/bin/sh\n', mode: 0o644 },
  mine: { content: '#!/bin/sh\necho "mine: $1 $2"\n', mode: 0o755 },
});
const bash = (row: number) => casesOf('bash', row, nothing);
const x = (count: number) => `head -c ${count} /dev/zero | tr '\\0' x`;
const LONG = { default: 'KB-48' };
const HUGE = { strict: 'KB-25', default: 'KB-48' };
const TIMER = { strict: 'KB-23', default: 'KB-23' };

export const bashCases: readonly OracleCase[] = [
  ...[
    'echo hi',
    'true',
    'false',
    'echo a; exit 3',
    'printf a; exit 3',
    'no-such-command',
    'if',
    '',
    '# a comment',
  ].map((command) => bash(16)({ command })),
  ...[
    "printf 'a\\n\\n\\n'",
    "printf '1%%\\r2%%\\r'",
    "printf '\\033[31mred\\033[0m'",
    "printf '\\000\\377'",
    "printf '\\357\\273\\277bom'",
    "printf '\\303'; sleep 0.05; printf '\\251'",
    "printf 'a\\303'",
  ].map((command) => bash(17)({ command })),
  ...['cat; echo done', '[ -t 1 ]', 'echo $0 $-', 'cd /; export Z=1', 'pwd; echo [$Z]'].map(
    (command) => bash(18)({ command }),
  ),
  ...['seq 2000', 'seq 2001', 'seq 3000', 'seq 3000; exit 1', 'seq 2000; printf x'].map((command) =>
    bash(19)({ command }),
  ),
  bash(20)({ command: "for i in $(seq 600); do printf '%0100d\\n' $i; done" }),
  bash(20)({ command: x(51_200) }, { differs: LONG }),
  bash(20)({ command: x(51_201) }, { differs: LONG }),
  bash(20)({ command: x(60_000) }, { differs: LONG }),
  bash(20)({ command: `${x(60_000)}; echo` }, { differs: HUGE }),
  bash(20)({ command: `echo short; ${x(250_000)}; echo` }, { differs: HUGE }),
  bash(20)({ command: `${x(60_000)}; echo; echo short` }),
  bash(21)({ command: 'echo a; sleep 5', timeout: 0.3 }),
  bash(21)({ command: 'sleep 5', timeout: 1 }),
  bash(21)({ command: 'echo a', timeout: 0 }),
  bash(21)({ command: 'echo a', timeout: -1 }),
  bash(21)({ command: 'sleep 5', timeout: 1e-9 }),
  bash(21)({ command: 'sleep 5', timeout: 99_999_999 }, { differs: TIMER }),
  bash(21)({ command: 'sleep 0.1', timeout: { $number: 'Infinity' } }, { differs: TIMER }),
  bash(21)({ command: 'echo a', timeout: { $number: 'NaN' } }),
  bash(22)({ command: 'echo a; sleep 5' }, { abort: 300 }),
  bash(22)({ command: 'touch f' }, { abort: 'before', isChange: true }),
  bash(23)({ command: 'sleep 3 & echo done' }),
  bash(23)({ command: '(sleep 0.05; echo late) & echo done' }),
  bash(23)({ command: '(sleep 0.4; echo late) & echo done' }),
  bash(23)({
    command: '(for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.05; echo $i; done) & echo done',
  }),
  bash(23)({
    command: '(for i in $(seq 100); do echo a >/dev/null; sleep 0.02; echo -n; done) & exit 0',
    timeout: 0.6,
  }),
  bash(23)(
    { command: '(for i in $(seq 400); do sleep 0.01; printf .; done) & exit 0', timeout: 0.6 },
    { differs: { default: 'KB-22' } },
  ),
  bash(24)({ command: '(sleep 2; touch child) & sleep 5', timeout: 0.3 }, { isChange: true }),
  bash(24)({ command: "trap '' TERM; sleep 5", timeout: 0.3 }),
  casesOf('bash', 25, nothing)({ command: 'true' }, { cwd: 'missing' }),
  casesOf('bash', 25, shells)({ command: 'true' }, { cwd: 'f' }),
  casesOf('bash', 25, shells)({ command: 'echo $0' }, { shell: '/bin/sh' }),
  casesOf('bash', 25, shells)({ command: 'true' }, { shell: '/nowhere/sh' }),
  casesOf('bash', 25, shells)({ command: 'true' }, { shell: '<cwd>/closed' }),
  casesOf('bash', 25, shells)({ command: 'x y' }, { shell: '<cwd>/mine' }),
  bash(25)(
    { command: `true ${'x'.repeat(200_000)}` },
    { differs: { default: 'says what to do about a command that is too long' } },
  ),
  bash(25)({ command: 'echo $greeting' }, { host: 'prefix' }),
  bash(25)({ command: 'exit 3' }, { host: 'prefix' }),
  bash(25)({ command: 'echo $greeting; basename "$(dirname "$PWD")" | wc -l' }, { host: 'hook' }),
  bash(26)({ command: 'echo 1; sleep 0.15; echo 2; sleep 0.15; echo 3' }, { host: 'watch' }),
  bash(26)({ command: 'true' }, { host: 'watch' }),
  bash(27)({ command: 'kill -9 $$' }, { differs: { strict: 'KB-28', default: 'KB-28' } }),
];

export const bashSkips: readonly SkippedCase[] = [
  { row: 24, title: 'setsid child', reason: 'Pi leaves it running; ours ends it, held by test' },
];
