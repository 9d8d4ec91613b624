/** @module-tag slow */
import { FAILPOINTS } from '@millforge/kernel/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  asksModelSparingly,
  asksOnlyInDoubt,
  doublesNothing,
  endsRight,
  losesNothing,
  type Promised,
  repeatsNothingKnown,
  verifies,
} from './crash-faults.ts';
import { crashesOfStart, furtherCrashes } from './crash-plan.ts';
import { type CrashReport, type CrashRig, createCrashRig, twoAtOnce } from './crash-rig.ts';

let rig: CrashRig | null = null;
let reports: readonly CrashReport[] = [];

beforeAll(async () => {
  rig = await createCrashRig();
  const { crash, rehearse } = rig;
  const rehearsed = await rehearse([{ command: 'start' }]);
  reports = await twoAtOnce([...crashesOfStart(rehearsed), ...furtherCrashes()], crash);
}, 600_000);

afterAll(() => {
  rig?.[Symbol.dispose]();
});

/** What does not hold, with how the run was crashed. */
function faults(promised: Promised): readonly unknown[] {
  return reports.flatMap((report) => {
    const found = promised(report);
    return found === null ? [] : [{ crash: report.crash, found }];
  });
}

/** Writes that no run of a plan makes; the kernel's own tests kill there. */
const ELSEWHERE = [
  'begin-attempt',
  'doubt-attempt',
  'resolve-attempt',
  'import-trail',
  'pin-artifact',
  'collect-artifacts',
  'adopt-backup',
  'intend-publication',
  'approve-publication',
  'revoke-publication',
  'send-publication',
  'settle-publication',
  'publish',
  'inspect',
];

test('is killed at every failpoint of the kernel, and around every effect', () => {
  const reached = new Set(
    reports.flatMap(({ crash }) => crash.legs.flatMap(({ kill }) => kill?.moment ?? [])),
  );
  const missed = FAILPOINTS.filter((name) => !reached.has(name));
  expect(missed.filter((name) => !ELSEWHERE.some((write) => name.endsWith(`:${write}`)))).toEqual(
    [],
  );
  expect([...reached].filter((name) => name.includes('effect')).toSorted()).toEqual([
    'after-effect:bash',
    'after-effect:edit',
    'after-effect:write',
    'before-effect:bash',
    'before-effect:edit',
    'before-effect:write',
  ]);
});

test('ends every run as an undisturbed one, or as it was cancelled or broken', () => {
  expect(faults(endsRight)).toEqual([]);
});

test('asks a person exactly where a call that nobody can look for was in flight', () => {
  expect(faults(asksOnlyInDoubt)).toEqual([]);
  expect(reports.filter(({ isInDoubt }) => isInDoubt).length).toBeGreaterThan(10);
});

test('has every effect once, but for the one that a person said to repeat', () => {
  expect(faults(doublesNothing)).toEqual([]);
});

test('loses no result that a host was told', () => {
  expect(faults(losesNothing)).toEqual([]);
});

test('begins nothing again whose result a host was told', () => {
  expect(faults(repeatsNothingKnown)).toEqual([]);
});

test('asks the model once a turn, and at most once more for each process that died', () => {
  expect(faults(asksModelSparingly)).toEqual([]);
});

test('keeps every trail whole', () => {
  expect(faults(verifies)).toEqual([]);
});
