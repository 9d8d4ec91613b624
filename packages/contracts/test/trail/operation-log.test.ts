import {
  MillforgeError,
  operationFailed,
  operationRefused,
  operationSuspended,
  operationUnavailable,
  operationUncertain,
} from '@millforge/contracts';
import { expect, test } from 'vitest';

const FAILURE = { code: 'timeout', message: 'No answer in 30 s.' };

test.each([
  ['operation/failed', operationFailed],
  ['operation/uncertain', operationUncertain],
  ['operation/unavailable', operationUnavailable],
])('%s carries what happened, with and without data and cause', (code, make) => {
  const bare = make(FAILURE);
  expect(MillforgeError.is(bare, code)).toBe(true);
  expect([bare.message, bare.details, 'cause' in bare]).toEqual([FAILURE.message, FAILURE, false]);
  const cause = new TypeError('socket closed');
  const full = make({ ...FAILURE, data: { attempts: 2 } }, cause);
  expect(full.details).toEqual({ ...FAILURE, data: { attempts: 2 } });
  expect(full.cause).toBe(cause);
});

test('a refusal carries its reason', () => {
  const refusal = { code: 'conflict', message: 'The file has changed.', data: ['a.txt'] };
  const error = operationRefused(refusal);
  expect([error.code, error.message, error.details]).toEqual([
    'operation/refused',
    refusal.message,
    refusal,
  ]);
});

test('takes over nothing but code, message and data of what it is given', () => {
  const answer = { ...FAILURE, headers: { authorization: 'Bearer abc' } };
  expect(operationFailed(answer).details).toEqual(FAILURE);
});

test('a suspension says why, and which failure led to it', () => {
  expect(operationSuspended('held').details).toEqual({ reason: 'held' });
  const error = operationSuspended('unavailable', FAILURE);
  expect(error.details).toEqual({ reason: 'unavailable', failure: FAILURE });
  expect(error.message).toBe('The run is suspended (unavailable).');
});
