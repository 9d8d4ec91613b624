import assert from 'node:assert/strict';
import test from 'node:test';
import { total } from '../src/total.js';

test('sums every line of the receipt', () => {
  const lines = [
    { price: 250, quantity: 2 },
    { price: 120, quantity: 1 },
    { price: 999, quantity: 1 },
  ];
  assert.equal(total(lines), 1619);
});

test('takes the discount off the sum', () => {
  assert.equal(total([{ price: 1000, quantity: 1 }], 10), 900);
});

test('an empty receipt costs nothing', () => {
  assert.equal(total([]), 0);
});
