import {
  formatToolReference,
  isArgumentName,
  isArtifactId,
  isDottedId,
  isModelToolName,
  isNodeId,
  isSha256,
  isTerminalResult,
  parseToolReference,
} from '@millforge/contracts';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

test.each([
  [
    'dotted id',
    isDottedId,
    ['a', 'a.b', 'builtin.pi_compat.read', 'a1-b2_c3', 'a'.repeat(160)],
    ['', 'A', '1a', '.a', 'a.', 'a..b', 'a._b', 'a b', 'a\n', 'é', 'a'.repeat(161)],
  ],
  [
    'node id',
    isNodeId,
    ['a', 'open_ticket', 'a_', 'a'.repeat(64)],
    ['', '_a', 'a-b', 'A', 'a'.repeat(65), 'a\n'],
  ],
  [
    'artifact id',
    isArtifactId,
    ['a', 'a..b', 'a.', 'a'.repeat(128)],
    ['', '.a', 'A', 'a'.repeat(129), 'a\n'],
  ],
  [
    'terminal result',
    isTerminalResult,
    ['A', 'TASK_DONE', 'A1_'],
    ['', 'a', '1A', 'A-B', 'A'.repeat(129)],
  ],
  [
    'argument name',
    isArgumentName,
    ['a', '_x', '__proto__', 'A9'],
    ['', '9a', 'a-b', 'a'.repeat(129)],
  ],
  ['digest', isSha256, ['0'.repeat(64)], ['0'.repeat(63), 'A'.repeat(64), `${'0'.repeat(64)}\n`]],
  [
    'model tool name',
    isModelToolName,
    ['Read-file_1', 'a'.repeat(64)],
    ['', 'a b', 'a.b', 'a'.repeat(65)],
  ],
])('accepts and refuses a %s by its grammar', (...[, isRight, right, wrong]) => {
  expect(right.filter((text) => !isRight(text))).toEqual([]);
  expect(wrong.filter((text) => isRight(text))).toEqual([]);
});

test('refuses tool names that model APIs reject (B-31)', () => {
  expect(isModelToolName('read file!')).toBe(false);
});

test.each([
  'a',
  'a@',
  '@1',
  'a@0',
  'a@01',
  'a@latest',
  'a@^1',
  'a@1.0',
  'a@2147483648',
  'a@99999999999999999999',
  'a@1@2',
  'a@-1',
  'a@ 1',
  'A@1',
  'a@١',
  `${'a'.repeat(161)}@1`,
])('refuses the tool reference %s', (text) => {
  expect(parseToolReference(text)).toBe(null);
});

test('reads back every reference it writes', () => {
  fc.assert(
    fc.property(
      fc.stringMatching(/^[a-z][a-z0-9]{0,9}(?:[._-][a-z0-9]{1,9}){0,3}$/),
      fc.integer({ min: 1, max: 2_147_483_647 }),
      (toolId, toolVersion) => {
        expect(parseToolReference(formatToolReference({ toolId, toolVersion }))).toEqual({
          toolId,
          toolVersion,
        });
      },
    ),
  );
});

test('decides long hostile ids at once', () => {
  expect(isDottedId(`${'a-'.repeat(500_000)}!`)).toBe(false);
  expect(parseToolReference(`a@${'9'.repeat(1_000_000)}`)).toBe(null);
});
