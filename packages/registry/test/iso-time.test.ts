import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isoTime } from '../src/iso-time.ts';

test('times are written as a date writes them, whatever was written before', () => {
  const ms = fc.integer({ min: -62_135_596_800_000, max: 4_102_444_800_000 });
  fc.assert(
    fc.property(fc.array(fc.tuple(ms, fc.integer({ min: 0, max: 2000 }))), (times) => {
      for (const [first, later] of times) {
        for (const time of [first, first + later]) {
          expect(isoTime(time)).toBe(new Date(time).toISOString());
        }
      }
    }),
  );
});
