import type { Claim } from '../../src/store/claim.ts';
import type { KernelStore } from '../../src/store/kernel-store.ts';
import type { OperationRow } from '../../src/store/operation-row.ts';
import { toPayload } from '../../src/store/payloads.ts';
import type { Standing } from '../../src/store/standing.ts';
import {
  effectOf,
  existing,
  noteOf,
  readOf,
  SCOPE,
  type StoreHands,
  storeHands,
  taskOf,
} from '../../src/testing/store-hands.ts';

/** What a process remembers that calls a store: claims and standings stay in its hands, also when they hold no more. */
export interface Known {
  /** The store, in the hands of the process that opened it last. */
  hands: StoreHands;
  /** Opens the file again, as the next process does. */
  readonly open: () => Promise<KernelStore>;
  /** Every claim that was ever given, of this goal and of another one. */
  readonly claims: Claim[];
  /** Every standing that was ever read. */
  readonly standings: Standing[];
  /** How many decisions were named: no program appends two under one name. */
  notes: number;
}

/** Makes one call, of which the rest is drawn; tells whether it was about the other goal. */
type Call = (known: Known, draw: number) => Promise<boolean>;

/** Every call of a store that changes something, by its name. */
export const CALLS: ReadonlyMap<string, Call> = new Map<string, Call>([
  [
    'take',
    (known, draw) =>
      claiming(known, draw, (standing) => known.hands.store.attempts.admit(standing, OWNER)),
  ],
  [
    'take again',
    (known, draw) =>
      claiming(known, draw, (standing) =>
        known.hands.store.attempts.claim(standing, { ...OWNER, beat: null }),
      ),
  ],
  ['look', looking],
  [
    'doubt left',
    (known, draw) =>
      onStanding(known, draw, (standing) =>
        known.hands.store.attempts.doubtLeft(standing, { actor: SCOPE.actor, beat: null }),
      ),
  ],
  [
    'release',
    (known, draw) =>
      onStanding(known, draw, (standing) => known.hands.store.attempts.release(standing, OWNER)),
  ],
  [
    'hold task',
    (known, draw) =>
      onStanding(known, draw, (standing) =>
        known.hands.store.attempts.hold(standing, {
          reason: 'adapter-drift',
          message: 'It is another one.',
          actor: SCOPE.actor,
        }),
      ),
  ],
  [
    'resolve',
    (known, draw) =>
      onStanding(known, draw, (standing) =>
        known.hands.store.attempts.resolve(standing, {
          answer: existing(ANSWERS[draw % ANSWERS.length]),
          facts: null,
          mayStillAct: false,
          receiptId: `receipt-${draw}`,
          actor: SCOPE.actor,
        }),
      ),
  ],
  [
    'begin',
    (known, draw) => onClaim(known, draw, (claim) => known.hands.store.attempts.begin(claim)),
  ],
  [
    'suspend',
    (known, draw) =>
      onClaim(known, draw, (claim) => known.hands.suspend(goalOf(known, claim), claim)),
  ],
  [
    'fail',
    (known, draw) =>
      onClaim(known, draw, (claim) =>
        known.hands.fail(goalOf(known, claim), claim, { isClean: draw % 2 === 0 }),
      ),
  ],
  [
    'finish',
    (known, draw) =>
      onClaim(known, draw, (claim) => known.hands.finish(goalOf(known, claim), claim, draw)),
  ],
  [
    'pin',
    (known, draw) =>
      onClaim(known, draw, (claim) =>
        known.hands.store.attempts.pinArtifact(claim, 'a'.repeat(64)),
      ),
  ],
  [
    'save artifact',
    (known, draw) =>
      onClaim(known, draw, (claim) =>
        known.hands.store.attempts.saveArtifact(claim, {
          ref: { sha256: 'a'.repeat(64), bytes: 1, media_type: 'text/plain' },
          limit: null,
        }),
      ),
  ],
  [
    'keep late',
    (known, draw) =>
      onClaim(known, draw, (claim) =>
        known.hands.store.attempts.keepLate(claim, {
          key: draw % 3 === 0 ? null : keyOf(draw),
          outcome: 'done',
          payload: toPayload({ late: draw % 5 }),
        }),
      ),
  ],
  [
    'admit operation',
    (known, draw) =>
      onOperation(known, draw, ({ claim, key, row }) =>
        known.hands.begin(claim, effectOf(key), {
          row,
          notes: [noteOf(`note-${(known.notes += 1)}`, draw)],
        }),
      ),
  ],
  [
    'record',
    (known, draw) =>
      onOperation(known, draw, ({ claim, key, row }) =>
        known.hands.record(claim, effectOf(key), {
          row,
          kind: draw % 2 === 0 ? 'done' : 'failed',
          value: draw,
        }),
      ),
  ],
  [
    'record read',
    (known, draw) =>
      onOperation(known, draw, ({ claim, key, row }) =>
        known.hands.record(claim, readOf(key), { row }),
      ),
  ],
  [
    'doubt',
    (known, draw) =>
      onOperation(known, draw, ({ claim, key, row }) =>
        known.hands.store.operations.doubt(claim, {
          ...known.hands.write(effectOf(key), { row }),
          isSettled: draw % 2 === 0,
          isAbsent: false,
        }),
      ),
  ],
  [
    'hold',
    (known, draw) =>
      onOperation(known, draw, ({ claim, key, row }) =>
        known.hands.store.operations.hold(claim, {
          write: known.hands.write(effectOf(key), { row }),
          hold: holdOf(claim, key, 'ambiguous-operation'),
          isSettled: true,
          tries: 1,
          repeatedBy: draw % 2 === 0 ? null : SCOPE.actor,
        }),
      ),
  ],
  [
    'propose',
    (known, draw) =>
      onOperation(known, draw, ({ claim, key, row }) =>
        known.hands.store.operations.propose(claim, {
          write: known.hands.write(effectOf(key), { row }),
          hold: holdOf(claim, key, 'approval-required'),
        }),
      ),
  ],
  [
    'diverge',
    (known, draw) =>
      onClaim(known, draw, (claim) =>
        known.hands.store.operations.diverge(claim, holdOf(claim, keyOf(draw), 'diverged')),
      ),
  ],
  ['decide', deciding],
  [
    'cancel',
    async ({ hands }, draw) => {
      // Before its end this would leave nothing to be looked at.
      if ((await hands.view('goal')).state !== 'cancelled') return false;
      await hands.store.goals.cancel(SCOPE, 'goal', {
        version: draw % 2 === 0 ? null : (await hands.view('goal')).version,
        reason: 'Twice.',
      });
      return false;
    },
  ],
  [
    'check',
    async ({ hands }) => {
      await hands.store.goals.check(SCOPE.tenant, 'goal', { actor: SCOPE.actor });
      return false;
    },
  ],
  [
    'admit goal',
    async ({ hands }) => {
      await hands.admit('goal', { tasks: [taskOf('another')] });
      return false;
    },
  ],
  [
    'crash',
    async (known) => {
      await known.hands.store.close();
      known.hands = storeHands(await known.open(), known.hands.clock);
      return false;
    },
  ],
  [
    'wait',
    async ({ hands }, draw) => {
      hands.clock.advance(draw * 1000);
      return false;
    },
  ],
]);

const OWNER = { ownerId: 'owner', actor: SCOPE.actor };

const ANSWERS = [
  { kind: 'happened', value: 'seen' },
  { kind: 'not-happened' },
  { kind: 'unknown' },
] as const;

const DECISIONS = ['retry', 'accept', 'approve', 'deny', 'retry', 'accept'] as const;

const keyOf = (draw: number): string => `key-${draw % 3}`;

function isForeign({ claims }: Known, claim: Claim): boolean {
  return claim.goal !== existing(claims[0]).goal;
}

function goalOf(known: Known, claim: Claim): string {
  return isForeign(known, claim) ? 'foreign' : 'goal';
}

/** One claim of them all, as it was given; now and then with a fence that nobody gave. */
function claimOf({ claims }: Known, draw: number): Claim {
  const claim = existing(claims[draw % claims.length]);
  return draw % 7 === 0 ? { ...claim, fence: claim.fence + (draw % 4) } : claim;
}

async function onClaim(
  known: Known,
  draw: number,
  call: (claim: Claim) => Promise<unknown>,
): Promise<boolean> {
  const claim = claimOf(known, draw);
  await call(claim);
  return isForeign(known, claim);
}

async function onStanding(
  { standings }: Known,
  draw: number,
  call: (standing: Standing) => Promise<unknown>,
): Promise<boolean> {
  await call(existing(standings[draw % standings.length]));
  return false;
}

async function claiming(
  known: Known,
  draw: number,
  call: (standing: Standing) => Promise<{ readonly claim: Claim } | null>,
): Promise<boolean> {
  return onStanding(known, draw, async (standing) => {
    const taken = await call(standing);
    if (taken !== null) known.claims.push(taken.claim);
  });
}

/** Reads how a task stands now, and keeps it for later. */
async function looking(known: Known, draw: number): Promise<boolean> {
  known.standings.push(await known.hands.standing('goal', draw % 2 === 0 ? 'run' : 'whole'));
  return false;
}

/** One operation of a claim with its row, which its process knows from before. */
async function onOperation(
  known: Known,
  draw: number,
  call: (found: {
    readonly claim: Claim;
    readonly key: string;
    readonly row: OperationRow | null;
  }) => Promise<unknown>,
): Promise<boolean> {
  return onClaim(known, draw, async (claim) => {
    const standing = await known.hands.standing(goalOf(known, claim), claim.taskId);
    const { rows } = await known.hands.store.attempts.load(claim, standing);
    const key = keyOf(draw);
    await call({ claim, key, row: rows.find((row) => row.key === key) ?? null });
  });
}

async function deciding({ hands }: Known, draw: number): Promise<boolean> {
  const { holds } = await hands.view('goal');
  const hold = existing(holds[draw % Math.max(holds.length, 1)]);
  const decision = existing(DECISIONS[draw % DECISIONS.length]);
  await hands.store.goals.decide(SCOPE, 'goal', {
    decision: {
      holdId: hold.hold_id,
      version: hold.version,
      reason: 'I looked.',
      decision,
      ...(decision === 'accept' ? { outcome: draw } : {}),
    },
    receiptId: `receipt-${draw}`,
    here: { ownerId: 'owner', isActing: () => false },
  });
  return false;
}

function holdOf<Reason extends 'ambiguous-operation' | 'approval-required' | 'diverged'>(
  claim: Claim,
  operationKey: string,
  reason: Reason,
) {
  return {
    reason,
    message: 'Nobody knows.',
    taskId: claim.taskId,
    attempt: claim.number,
    operationKey,
    facts: {},
  };
}
