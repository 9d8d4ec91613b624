import { expect, test } from 'vitest';
import { isLegal } from '../../src/states/transitions.ts';

/** Every state of every table, with those that end it. */
const STATES = {
  goals: {
    open: ['ready', 'running', 'held', 'checking'],
    ended: ['completed', 'failed', 'cancelled'],
  },
  tasks: {
    open: ['pending', 'ready', 'running', 'held'],
    ended: ['completed', 'failed', 'skipped', 'cancelled'],
  },
  attempts: {
    open: ['admitted', 'running', 'suspended', 'ambiguous'],
    ended: ['recorded', 'failed', 'superseded', 'cancelled'],
  },
  operations: {
    open: ['proposed', 'admitted', 'uncertain', 'recorded'],
    ended: ['cancelled'],
  },
  holds: { open: ['open'], ended: ['decided'] },
  publications: {
    open: ['intended', 'approved', 'sending', 'unknown'],
    ended: ['accepted', 'rejected', 'expired', 'revoked'],
  },
};

test.each(Object.entries(STATES))('no way leads out of an end of %s', (table, { open, ended }) => {
  const ways = ended.flatMap((from) =>
    [...open, ...ended].filter((to) => isLegal(table, from, to)).map((to) => `${from} → ${to}`),
  );
  expect(ways).toEqual([]);
});

test.each(Object.entries(STATES))(
  'a way leads out of everything else of %s',
  (table, { open, ended }) => {
    const stuck = open.filter(
      (from) => ![...open, ...ended].some((to) => isLegal(table, from, to)),
    );
    expect(stuck).toEqual([]);
  },
);

test('nothing that is known to have been sent is sent again', () => {
  const { open, ended } = STATES.publications;
  const ways = [...open, ...ended].filter((from) => isLegal('publications', from, 'sending'));
  expect(ways).toEqual(['approved']);
});
