import { expect, test } from 'vitest';
import { nearestName, quoted } from '../src/nearest-name.ts';

test.each<[string, readonly string[], string | null]>([
  ['open_tikcet', ['open_ticket', 'close_ticket'], 'open_ticket'],
  ['opn', ['open', 'oxen'], 'open'],
  ['open', ['open'], null],
  ['ab', ['ac'], null],
  ['read', ['write'], null],
  ['finish', ['finnish', 'fnish', 'vanish'], 'finnish'],
  ['', ['a'], null],
])('answers %j among %j with %j', (wrong, known, answer) => {
  expect(nearestName(known)(wrong)).toBe(answer);
});

test('prefers the nearer name, whatever the order', () => {
  expect(nearestName(['inspect_al', 'inspect_xyz', 'inspect_a'])('inspect_x')).toBe('inspect_a');
  expect(nearestName(['inspect_abc', 'inspect_xy'])('inspect_x')).toBe('inspect_xy');
});

test('answers 64 different questions and no more, the same one as often as it is asked', () => {
  const ask = nearestName(['name']);
  for (let index = 0; index < 64; index++) ask(`other_${index}`);
  expect(ask('nmae')).toBeNull();
  const again = nearestName(['name']);
  expect(Array.from({ length: 100 }, () => again('nmae'))).toEqual(Array(100).fill('name'));
});

test('cuts a long list', () => {
  expect(quoted(['a'])).toBe("'a'");
  expect(quoted(['a', 'b'])).toBe("'a' and 'b'");
  expect(quoted(['a', 'b', 'c', 'd', 'e', 'f', 'g'])).toBe("'a', 'b', 'c', 'd', 'e' and 2 more");
});
