import { expect, test } from 'vitest';
import { describeCall } from '../src/describe-call.ts';

test.each([
  ['edit', { old: 'x', path: 'src/sum.js' }, 'edit src/sum.js'],
  ['bash', { timeout: 5, command: 'npm test\n  && echo done' }, 'bash npm test && echo done'],
  ['note', { count: 1, text: 'remember' }, 'note remember'],
  ['list', {}, 'list'],
  ['list', { path: ' ' }, 'list'],
])('%s with %j is one line', (tool, input, line) => {
  expect(describeCall(tool, input)).toBe(line);
});

test('a long argument is cut', () => {
  const line = describeCall('write', { content: 'x '.repeat(1_000_000) });
  expect(line.length).toBeLessThanOrEqual(90);
  expect(line.endsWith('…')).toBe(true);
});

test('a cut never leaves half of a character', () => {
  const line = describeCall('read', { path: `${'a'.repeat(78)}${'\u{1F98A}'.repeat(9)}` });
  expect(line).toBe(`read ${'a'.repeat(78)}…`);
});
