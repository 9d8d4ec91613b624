import { type JsonValue, type Operation, operationUncertain } from '@millforge/contracts';
import { manualClock, sequentialIds } from '@millforge/contracts/testing';
import { memoryOperationLog } from '@millforge/runtime';
import { expect, test } from 'vitest';

const READ: Operation = {
  key: 'tool/1/0',
  step: 1,
  kind: 'tool',
  effect: 'read',
  repeat: 'safe',
  metered: false,
  input: { path: 'a' },
  describe: 'read a',
};
const WRITE: Operation = { ...READ, effect: 'write', repeat: 'unsafe' };

function newLog(deadlineMs?: number) {
  const clock = manualClock();
  const log = memoryOperationLog({
    clock,
    ids: sequentialIds(),
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
  });
  return { clock, log };
}

test('a read that the deadline breaks off is refused, and its timer is gone', async () => {
  const { clock, log } = newLog(100);
  const pending = log.perform(READ, ({ signal }) => {
    clock.advance(100);
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  });
  await expect(pending).resolves.toMatchObject({ kind: 'refused', reason: { code: 'deadline' } });
  expect(clock.pendingDelays).toBe(0);
});

test('an act that settles in time leaves no timer behind', async () => {
  const { clock, log } = newLog(100);
  await log.perform(READ, async () => ({ value: null }));
  await expect.poll(() => clock.pendingDelays).toBe(0);
});

test('a write in doubt at the deadline is looked at, and held when nobody can tell', async () => {
  const late = newLog(100);
  const doubt = async () => {
    late.clock.advance(100);
    throw operationUncertain({ code: 'timeout', message: 'Lost.' });
  };
  const found = late.log.perform(
    { ...WRITE, reconcile: async () => ({ kind: 'happened', value: 'seen' }) },
    doubt,
  );
  await expect(found).resolves.toMatchObject({ kind: 'done', value: 'seen' });

  const other = newLog(100);
  const held = other.log.perform({ ...WRITE, repeat: 'safe' }, async () => {
    other.clock.advance(100);
    throw operationUncertain({ code: 'timeout', message: 'Lost.' });
  });
  await expect(held).rejects.toMatchObject({
    code: 'operation/suspended',
    details: { reason: 'held', failure: { code: 'timeout', message: 'Lost.' } },
  });
});

test('a write that a stop interrupted is reconciled when the run goes on', async () => {
  const clock = manualClock();
  const stop = new AbortController();
  const log = memoryOperationLog({ clock, ids: sequentialIds(), signal: stop.signal });
  const operation: Operation = {
    ...WRITE,
    before: async () => 'old',
    reconcile: async ({ before }) => ({ kind: 'happened', value: { before } }),
  };
  const interrupted = log.perform(operation, async () => {
    stop.abort();
    throw new Error('broken off');
  });
  await expect(interrupted).rejects.toMatchObject({ details: { reason: 'stopped' } });
  await expect(log.resume().perform(operation, mustNotBeCalled)).resolves.toEqual({
    kind: 'done',
    value: { before: 'old' },
    replayed: false,
  });
});

test.each([undefined, 1000])(
  'a stop while a write in doubt is looked at keeps it from being performed again',
  async (deadlineMs) => {
    const clock = manualClock();
    const stop = new AbortController();
    const log = memoryOperationLog({
      clock,
      ids: sequentialIds(),
      signal: stop.signal,
      ...(deadlineMs === undefined ? {} : { deadlineMs }),
    });
    let acts = 0;
    const operation: Operation = {
      ...WRITE,
      reconcile: async () => {
        stop.abort();
        return { kind: 'not-happened' };
      },
    };
    const stopped = log.perform(operation, async () => {
      acts += 1;
      throw operationUncertain({ code: 'timeout', message: 'Lost.' });
    });
    await expect(stopped).rejects.toMatchObject({ details: { reason: 'stopped' } });
    expect(acts).toBe(1);
    const resumed = log.resume().perform(operation, async () => ({ value: 'written' }));
    await expect(resumed).resolves.toMatchObject({ kind: 'done', value: 'written' });
  },
);

test('values are frozen, and what JSON cannot hold is not recorded', async () => {
  const { log } = newLog();
  const value = { list: [{ a: 1 }] };
  await log.perform(READ, async () => ({ value }));
  expect(Object.isFrozen(value.list[0])).toBe(true);
  for (const [index, wrong] of [Number.NaN, undefined, new Date(0), { a: undefined }].entries()) {
    const outcome = await log.perform(
      { ...READ, key: `tool/1/${index + 1}` },
      // Only a caller without types can give such a value.
      () =>
        Promise.resolve(JSON.parse('{"value":null}')).then((given) =>
          Object.assign(given, { value: wrong }),
        ),
    );
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'operation/invalid-value' } });
  }
});

test('a getter in a value is read once, and what it gave is what is kept', async () => {
  const { log } = newLog();
  let reads = 0;
  const count = { enumerable: true, configurable: true, get: () => ++reads };
  const value = { list: Object.defineProperty<number[]>([], 0, count) };
  await log.perform(READ, async () => ({ value: Object.defineProperty(value, 'count', count) }));
  const again = await log.resume().perform(READ, async () => ({ value: null }));
  expect(again).toMatchObject({ kind: 'done', value: { list: [1], count: 2 } });
  expect(again).toMatchObject({ kind: 'done', value: { list: [1], count: 2 } });
  const stuck = Object.freeze(Object.defineProperty({}, 'count', count));
  const refused = await log.perform({ ...READ, key: 'tool/1/1' }, async () => ({ value: stuck }));
  expect(refused).toMatchObject({ kind: 'failed', error: { code: 'operation/invalid-value' } });
});

test('a value that is said to be frozen is kept as it is', async () => {
  const { log } = newLog();
  const value = { list: [1] };
  await log.perform(READ, async () => ({ value, isFrozen: true }));
  expect(Object.isFrozen(value)).toBe(false);
  const again = await log.resume().perform(READ, async () => ({ value: { list: [2] } }));
  expect(again).toEqual({ kind: 'done', value: { list: [1] }, replayed: true });
});

test('a value is frozen to its leaves however deep it is and however often it holds the same', async () => {
  const { log } = newLog();
  const leaf = { last: true };
  let deep: JsonValue = leaf;
  for (let level = 0; level < 100_000; level += 1) deep = level % 2 === 0 ? [deep] : { deep };
  await log.perform(READ, async () => ({ value: deep }));
  expect(Object.isFrozen(leaf)).toBe(true);
  const shared: JsonValue[] = [];
  for (let level = 0; level < 40; level += 1) shared.push([...shared]);
  const read = { ...READ, key: 'tool/1/1' };
  await log.perform(read, async () => ({ value: shared.slice(-2) }));
  expect(Object.isFrozen(shared[0])).toBe(true);
});

test('one key cannot be performed twice at a time', async () => {
  const { log } = newLog();
  const both = [1, 2].map((value) => log.perform(READ, async () => ({ value })));
  const [first, second] = await Promise.allSettled(both);
  expect(first).toMatchObject({ status: 'fulfilled', value: { value: 1 } });
  expect(second).toMatchObject({ reason: { code: 'operation/duplicate-key' } });
});

test('a step that goes back diverges', async () => {
  const { log } = newLog();
  await log.perform({ ...READ, step: 2 }, async () => ({ value: null }));
  const back = log.perform({ ...READ, key: 'tool/1/1' }, async () => ({ value: null }));
  await expect(back).rejects.toMatchObject({ code: 'operation/diverged' });
});

function mustNotBeCalled() {
  return Promise.reject(new Error('must not be called'));
}
