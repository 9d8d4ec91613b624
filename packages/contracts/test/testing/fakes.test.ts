import { MillforgeError } from '@millforge/contracts';
import { manualClock, memoryTrail, sequentialIds } from '@millforge/contracts/testing';
import { expect, test } from 'vitest';

test('a manual clock stands still until it is moved', () => {
  const clock = manualClock(1000);
  expect([clock.now(), clock.monotonicMs()]).toEqual([1000, 0]);
  clock.advance(5);
  expect([clock.now(), clock.monotonicMs()]).toEqual([1005, 5]);
  expect(() => clock.advance(-1)).toThrow(MillforgeError);
});

test('delays end in the order of their ends, and no earlier', async () => {
  const clock = manualClock();
  const ended: string[] = [];
  const delays = [
    clock.delay(20).then(() => ended.push('late')),
    clock.delay(10).then(() => ended.push('early')),
  ];
  clock.advance(9);
  await Promise.resolve();
  expect([ended, clock.pendingDelays]).toEqual([[], 2]);
  clock.advance(11);
  await Promise.all(delays);
  expect([ended, clock.pendingDelays]).toEqual([['early', 'late'], 0]);
  await clock.delay(0);
});

test('an aborted delay rejects with the reason of its signal', async () => {
  const clock = manualClock();
  const stop = new AbortController();
  const delay = clock.delay(10, stop.signal);
  stop.abort('enough');
  await expect(delay).rejects.toBe('enough');
  await expect(clock.delay(10, stop.signal)).rejects.toBe('enough');
  expect(clock.pendingDelays).toBe(0);
});

test('ids count up for each prefix', () => {
  const ids = sequentialIds();
  expect([ids.newId('run'), ids.newId('run'), ids.newId('task')]).toEqual([
    'run_0001',
    'run_0002',
    'task_0001',
  ]);
});

test('a trail takes each key once, and refuses other data under a known one', () => {
  const trail = memoryTrail();
  const entry = { key: 're-ask/1', step: 1, type: 'model-re-asked', data: { b: 1, a: [2] } };
  trail.append(entry);
  trail.append({ ...entry, data: { a: [2], b: 1 } });
  expect(trail.entries).toEqual([entry]);
  expect(() => trail.append({ ...entry, data: { a: [3] } })).toThrow(
    expect.objectContaining({ code: 'operation/diverged', details: { key: 're-ask/1' } }),
  );
});
