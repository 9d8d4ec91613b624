import {
  type JsonValue,
  MillforgeError,
  type Operation,
  type TrailRecord,
} from '@millforge/contracts';
import { type ManualClock, manualClock } from '@millforge/contracts/testing';
import type { GoalContract, TaskContract } from '../contract/goal-contract.ts';
import { type CompleteContract, readGoalContract } from '../contract/read-goal-contract.ts';
import type { Decision } from '../decision.ts';
import type { GoalView, HoldView, OwnerView } from '../goal-view.ts';
import { ALL_PERMISSIONS, type Scope } from '../scope.ts';
import { type Note, noteSha256 } from '../store/append-notes.ts';
import type { ClaimedTask } from '../store/attempt-store.ts';
import type { Claim } from '../store/claim.ts';
import type { StoredDecision } from '../store/goal-store.ts';
import type { KernelStore } from '../store/kernel-store.ts';
import type { OperationRow } from '../store/operation-row.ts';
import { toPayload } from '../store/payloads.ts';
import type { Standing } from '../store/standing.ts';
import type { OperationWrite, RecordedOutcome } from '../store/write-operation.ts';

/** Who acts in the laws. */
export const SCOPE: Scope = {
  tenant: 'here',
  resource: 'laws',
  actor: 'ann@host',
  permissions: ALL_PERMISSIONS,
};

const OWNER: OwnerView = {
  owner_id: 'owner',
  pid: 1,
  host: 'host',
  started_at: '2026-01-01T00:00:00.000Z',
};

/** A clock that stands still until it is moved, and whose wall time can be set wrong. */
export interface LawClock extends ManualClock {
  /** Sets the wall time back. */
  turnBack(ms: number): void;
}

/** Makes a clock for one law. */
export function lawClock(): LawClock {
  const clock = manualClock();
  let backMs = 0;
  return {
    now: () => clock.now() - backMs,
    monotonicMs: () => clock.monotonicMs(),
    delay: (ms, signal) => clock.delay(ms, signal),
    advance: (ms) => clock.advance(ms),
    get pendingDelays() {
      return clock.pendingDelays;
    },
    turnBack(ms) {
      backMs += ms;
    },
  };
}

/** Drives a store as a runner does, one step at a time. */
export interface StoreHands {
  readonly store: KernelStore;
  readonly clock: LawClock;
  /** Admits a goal; its tasks are one of operations, `run`, unless they are given. */
  admit(goalId: string, more?: Partial<GoalContract>): Promise<CompleteContract>;
  view(goalId: string): Promise<GoalView>;
  /** How a task stands, the first one without a name. */
  standing(goalId: string, taskId?: string): Promise<Standing>;
  /** Admits an attempt of a task. */
  take(goalId: string, taskId?: string): Promise<ClaimedTask & { readonly claim: Claim }>;
  /** Claims the latest attempt again, as another process does. */
  takeAgain(goalId: string, options?: { readonly beat?: number | null }): Promise<ClaimedTask>;
  /** Records the output of a claimed attempt. */
  finish(goalId: string, claim: Claim, output?: JsonValue): Promise<void>;
  /** Fails a claimed attempt. */
  fail(
    goalId: string,
    claim: Claim,
    more?: { readonly isClean?: boolean; readonly isSettled?: boolean },
  ): Promise<void>;
  suspend(goalId: string, claim: Claim): Promise<void>;
  /** What a write of an operation is given. */
  write(operation: Operation, more?: DraftedWrite): OperationWrite;
  /** Admits an operation and gives its row. */
  begin(claim: Claim, operation: Operation, more?: DraftedWrite): Promise<OperationRow>;
  /** Records an outcome. */
  record(claim: Claim, operation: Operation, more?: DraftedWrite & Outcome): Promise<void>;
  /** The only open hold of a goal. */
  openHold(goalId: string): Promise<HoldView>;
  /** Decides the only open hold of a goal. */
  decide(
    goalId: string,
    decision: Partial<Decision> & Pick<Decision, 'decision'>,
    isActing?: StoredDecision['here']['isActing'],
  ): Promise<void>;
  /** All records of a goal. */
  records(goalId: string): Promise<readonly TrailRecord[]>;
  /** Types of the records of a goal. */
  types(goalId: string): Promise<readonly string[]>;
  /** Demands that the whole tenant verifies. */
  assertSound(): Promise<void>;
}

/** What differs in a write. */
export interface DraftedWrite {
  readonly row?: OperationRow | null;
  readonly generation?: number;
  readonly before?: JsonValue;
  readonly notes?: readonly Note[];
}

/** What differs in an outcome. */
export interface Outcome {
  readonly kind?: RecordedOutcome['kind'];
  readonly value?: JsonValue;
  readonly usage?: RecordedOutcome['usage'];
}

/** Takes a store in hand. */
export function storeHands(store: KernelStore, clock: LawClock): StoreHands {
  let names = 0;
  const newName = (prefix: string): string => `${prefix}_${(names += 1)}`;

  const admit: StoreHands['admit'] = async (goalId, more = {}) => {
    const read = readGoalContract(contractOf(goalId, more));
    if (!read.ok) throw new Error(JSON.stringify(read.diagnostics));
    await store.goals.admit(SCOPE, { contract: read.value, goalUid: newName('goal') });
    return read.value;
  };
  const view = (goalId: string): Promise<GoalView> => store.goals.read(SCOPE.tenant, goalId);
  const standing: StoreHands['standing'] = async (goalId, taskId) => {
    const { standings } = await store.goals.position(SCOPE.tenant, goalId);
    const found =
      taskId === undefined ? standings[0] : standings.find(({ task }) => task.task_id === taskId);
    return existing(found);
  };
  const write: StoreHands['write'] = (operation, more = {}) => {
    const part = toPayload(operation.input);
    const row = more.row ?? null;
    return {
      draft: {
        operation,
        describe: operation.describe,
        part,
        inputSha256: part.sha256,
        row,
        generation: more.generation ?? row?.generation ?? 1,
        before: more.before === undefined ? null : toPayload(more.before),
      },
      notes: more.notes ?? [],
      elapsedMs: 5,
      now: clock.now(),
    };
  };
  const openHold: StoreHands['openHold'] = async (goalId) => {
    const { holds } = await view(goalId);
    const open = holds.filter(({ state }) => state === 'open');
    if (open.length !== 1) throw new Error(`${open.length} holds are open.`);
    return existing(open[0]);
  };
  const records: StoreHands['records'] = async (goalId) => {
    const found: TrailRecord[] = [];
    for (;;) {
      const page = await store.trails.read(SCOPE.tenant, goalId, {
        from: found.length + 1,
        limit: 100,
      });
      found.push(...page.records);
      if (page.records.length < 100) return found;
    }
  };

  return {
    store,
    clock,
    admit,
    view,
    standing,
    async take(goalId, taskId) {
      const by = { ownerId: OWNER.owner_id, actor: SCOPE.actor };
      // Only what a living process holds counts as running.
      if (!(await store.owners.isAlive(OWNER.owner_id))) await store.owners.register(OWNER);
      return existing(await store.attempts.admit(await standing(goalId, taskId), by));
    },
    async takeAgain(goalId, { beat = null } = {}) {
      const by = { ownerId: 'other', actor: 'bob@host', beat };
      return existing(await store.attempts.claim(await standing(goalId), by));
    },
    async finish(goalId, claim, output = null) {
      const { contract, task } = await standing(goalId, claim.taskId);
      await store.attempts.record(claim, {
        output: { payload: toPayload(output), verdict: null, receiptId: newName('receipt') },
        contract,
        task,
        admittedAt: new Date(clock.now()).toISOString(),
        elapsedMs: 7,
        notes: [],
      });
    },
    async fail(goalId, claim, { isClean = true, isSettled = true } = {}) {
      const { contract, task } = await standing(goalId, claim.taskId);
      const failure = { code: 'broken', message: 'It broke.', isClean, isSettled };
      await store.attempts.fail(claim, { failure, contract, task, elapsedMs: 7 });
    },
    async suspend(goalId, claim) {
      const { contract } = await standing(goalId, claim.taskId);
      await store.attempts.suspend(claim, {
        suspension: { by: 'stopped', failureClass: null, code: null, message: null },
        contract,
        elapsedMs: 7,
      });
    },
    write,
    async begin(claim, operation, more) {
      const admission = await store.operations.admit(claim, {
        ...write(operation, more),
        budget: null,
      });
      if (admission.kind !== 'admitted') throw new Error('The operation was not admitted.');
      return admission.row;
    },
    async record(claim, operation, { kind = 'done', value = 'done', usage = null, ...more } = {}) {
      await store.operations.record(claim, {
        ...write(operation, more),
        outcome: {
          kind,
          payload: toPayload(value),
          after: null,
          usage,
          durationMs: 3,
          found: null,
          isClean: true,
        },
      });
    },
    openHold,
    async decide(goalId, decision, isActing = () => false) {
      const hold = await openHold(goalId);
      await store.goals.decide(SCOPE, goalId, {
        decision: {
          holdId: hold.hold_id,
          version: hold.version,
          reason: 'I looked.',
          ...decision,
        },
        receiptId: newName('receipt'),
        here: { ownerId: 'owner', isActing },
      });
    },
    records,
    types: async (goalId) => (await records(goalId)).map(({ type }) => type),
    async assertSound() {
      const verdict = await store.trails.verify(SCOPE.tenant, null);
      if (!verdict.ok) {
        throw new MillforgeError('testing/assertion', `The trail does not hold: ${verdict.what}.`);
      }
    },
  };
}

/** A task of operations that may have effects. */
export function taskOf(taskId: string, more: Partial<TaskContract> = {}): TaskContract {
  return {
    task_id: taskId,
    adapter: { kind: 'tool', name: taskId, version: '1', parameters: null },
    doubt: 'operation',
    effect: 'external',
    ...more,
  };
}

/** An operation of a kind that is admitted before it is performed. */
export function effectOf(key: string, more: Partial<Operation> = {}): Operation {
  return {
    key,
    step: 1,
    kind: 'tool',
    effect: 'external',
    repeat: 'unsafe',
    metered: false,
    input: { of: key },
    describe: `does ${key}`,
    ...more,
  };
}

/** An operation that is recorded after the fact. */
export function readOf(key: string, more: Partial<Operation> = {}): Operation {
  return effectOf(key, { effect: 'read', repeat: 'safe', ...more });
}

/** A decision of a run that is no operation. */
export function noteOf(key: string, data: JsonValue): Note {
  const note = { step: 1, type: 'turn-refused', data };
  return { key, ...note, sha256: noteSha256(note) };
}

/** Demands that something is there. */
export function existing<T>(value: T | null | undefined): T {
  if (value !== null && value !== undefined) return value;
  throw new MillforgeError('testing/assertion', 'Expected something, found nothing.');
}

function contractOf(goalId: string, more: Partial<GoalContract>): GoalContract {
  return {
    kind: 'goal_contract',
    schema_version: '1.0',
    goal_id: goalId,
    objective: `Do ${goalId}.`,
    unchecked: true,
    tasks: [taskOf('run')],
    ...more,
  };
}
