import {
  type JsonValue,
  type Operation,
  operationFailed,
  operationHeld,
  operationUncertain,
} from '@millforge/contracts';
import type { GoalContract, GoalView, HoldView, Kernel, WorkAdapter } from '@millforge/kernel';
import { expect, test } from 'vitest';
import {
  adapter,
  contract,
  open,
  outcome,
  recordTypes,
  scope,
  temporaryDirectory,
  toolCall,
} from './fixture.ts';

const lost = operationUncertain({ code: 'timeout', message: 'The answer was lost.' });
const LOST = Number.POSITIVE_INFINITY;

/** A program of one read, which does what each act of the list says; the last one goes on for good. */
function reading(acts: readonly (() => JsonValue)[], more: Partial<Operation> = {}) {
  const reads = { count: 0 };
  const program = adapter(async (context) => {
    const read = await context.perform(toolCall('tool/1/0', more), async () => {
      const act = acts[Math.min(reads.count, acts.length - 1)];
      reads.count += 1;
      return { value: act?.() ?? null };
    });
    if (read.kind === 'failed') throw operationFailed(read.error);
    return outcome({ read: read.kind === 'done' ? read.value : null });
  });
  return { reads, program };
}

function loses(): never {
  throw lost;
}

/** So many lost answers, then one that comes. */
function losing(times: number): readonly (() => JsonValue)[] {
  return times === LOST
    ? [loses]
    : [...Array.from({ length: times }, () => loses), () => `read ${times + 1}`];
}

async function admitted(more: Partial<GoalContract> = {}): Promise<Kernel> {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, { ...contract('goal-1'), ...more });
  return kernel;
}

function run(kernel: Kernel, program: WorkAdapter): Promise<GoalView> {
  return kernel.runGoal(scope, 'goal-1', { adapters: [program] }).done;
}

function openHold(view: GoalView): HoldView {
  const hold = view.holds.find(({ state }) => state === 'open');
  if (hold === undefined) throw new Error(`${view.state}: no hold is open`);
  return hold;
}

async function retry(kernel: Kernel, { hold_id, version }: HoldView): Promise<void> {
  const decision = { holdId: hold_id, version, decision: 'retry', reason: 'Again.' } as const;
  await kernel.decide(scope, 'goal-1', decision);
}

async function expectSound(kernel: Kernel): Promise<void> {
  expect(await kernel.verifyTrail(scope)).toMatchObject({ ok: true });
}

test('records a read that is repeated in the name of whoever admitted the goal in the row that it was in doubt in', async () => {
  const kernel = await admitted({ on_ambiguous: 'retry' });
  const { reads, program } = reading(losing(3));
  const view = await run(kernel, program);
  expect(view).toMatchObject({ state: 'completed', tasks: [{ output: { read: 'read 4' } }] });
  expect(reads.count).toBe(4);
  expect(view.holds.map(({ state }) => state)).toEqual(['decided']);
  expect(view.holds[0]?.facts).toMatchObject({ tries: 3, failure: { code: 'timeout' } });
  expect(await recordTypes(kernel, 'goal-1')).toEqual([
    'goal-admitted',
    'attempt-admitted',
    'operation-doubted',
    'hold-opened',
    'hold-decided',
    'operation-readmitted',
    'operation-recorded',
    'result-recorded',
    'goal-checked',
  ]);
  await expectSound(kernel);
});

test('asks in the end about a read that never answers, also where its contract repeats what is in doubt', async () => {
  const kernel = await admitted({ on_ambiguous: 'retry' });
  const { reads, program } = reading(losing(LOST));
  const view = await run(kernel, program);
  expect(reads.count).toBe(6);
  expect(view.holds.map(({ state }) => state)).toEqual(['decided', 'decided', 'decided', 'open']);
  expect(openHold(view).facts.tries).toBe(6);
  await expectSound(kernel);
});

test('repeats a read without an answer once for each time that a person says so', async () => {
  const kernel = await admitted();
  const { reads, program } = reading(losing(LOST));
  for (const count of [3, 4, 5]) {
    const hold = openHold(await run(kernel, program));
    expect({ reads: reads.count, tries: hold.facts.tries }).toEqual({ reads: count, tries: count });
    await retry(kernel, hold);
  }
  await expectSound(kernel);
});

test('asks about a read that failed cleanly in one attempt and gives no answer in the next', async () => {
  const kernel = await admitted({ tasks: contract('goal-1', { task: { max_attempts: 2 } }).tasks });
  const { reads, program } = reading([
    () => {
      throw operationFailed({ code: 'absent', message: 'It is not there.' });
    },
    ...losing(LOST),
  ]);
  const hold = openHold(await run(kernel, program));
  expect(hold).toMatchObject({ reason: 'ambiguous-operation', attempt: 2 });
  expect(await kernel.readOperation(scope, 'goal-1', { key: 'tool/1/0' })).toMatchObject({
    state: 'uncertain',
  });
  const before = reads.count;
  await retry(kernel, hold);
  openHold(await run(kernel, program));
  expect(reads.count).toBe(before + 1);
  await expectSound(kernel);
});

test('lets a read ask a person also after its answer was lost', async () => {
  const kernel = await admitted();
  const { program } = reading([
    ...losing(3).slice(0, 3),
    () => {
      throw operationHeld({
        code: 'approval',
        message: 'May it?',
        data: { for: 'reading', expires_after_seconds: 60 },
      });
    },
  ]);
  await retry(kernel, openHold(await run(kernel, program)));
  const hold = openHold(await run(kernel, program));
  expect(hold.reason).toBe('approval-required');
  const { hold_id, version } = hold;
  const approve = { holdId: hold_id, version, decision: 'approve', reason: 'It may.' } as const;
  await kernel.decide(scope, 'goal-1', approve);
  expect(await run(kernel, program)).toMatchObject({
    state: 'completed',
    tasks: [{ output: { read: { decision: 'approved' } } }],
  });
  await expectSound(kernel);
});
