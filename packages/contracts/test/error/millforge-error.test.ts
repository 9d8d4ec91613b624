import { MillforgeError, unreachable } from '@millforge/contracts';
import { expect, test } from 'vitest';

test('carries code, details and cause', () => {
  const cause = new Error('disk full');
  const error = new MillforgeError('kernel/closed', 'The kernel is closed.', {
    details: { path: 'trail.db' },
    cause,
  });
  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({
    name: 'MillforgeError',
    code: 'kernel/closed',
    message: 'The kernel is closed.',
    details: { path: 'trail.db' },
    cause,
  });
});

test('has neither details nor cause when none were given', () => {
  const error = new MillforgeError('a/b', 'c');
  expect('details' in error).toBe(false);
  expect('cause' in error).toBe(false);
});

test('is recognised by its brand, also when another copy of the package made it', () => {
  const foreign = Object.assign(new Error('x'), {
    code: 'a/b',
    [Symbol.for('millforge.error')]: true,
  });
  expect(MillforgeError.is(foreign, 'a/b')).toBe(true);
  expect(MillforgeError.is(foreign, 'a/c')).toBe(false);
  expect(MillforgeError.is(Object.assign(new Error('x'), { code: 'a/b' }))).toBe(false);
  expect(MillforgeError.is(null)).toBe(false);
  expect(MillforgeError.is('a/b')).toBe(false);
});

test('names an impossible branch without showing the value', () => {
  const impossible = 'sk-secret' as never;
  expect(() => unreachable(impossible, 'state')).toThrow(
    expect.objectContaining({
      code: 'internal/unreachable',
      message: 'Met an impossible state of type string.',
    }),
  );
});
