import { MillforgeError } from '@millforge/contracts';
import { manualClock } from '@millforge/contracts/testing';
import {
  createPublications,
  type PublicationName,
  type Publications,
  type Publisher,
} from '@millforge/kernel/publication';
import { array, assert, asyncProperty, constantFrom, nat, oneof, record } from 'fast-check';
import { expect, test } from 'vitest';
import { open, scope, temporaryDirectory } from '../fixture.ts';
import { complete, publisher, request, through } from './world.ts';

const SETTLE_MS = 5000;

/** What the outside does with one sending. */
type Behaviour = 'acknowledges' | 'applies' | 'loses' | 'refuses' | 'babbles';

type Command =
  | { readonly type: 'intend'; readonly revision: string }
  | { readonly type: 'approve'; readonly place: number; readonly validForMs: number }
  | { readonly type: 'dispatch'; readonly place: number; readonly behaviour: Behaviour }
  | { readonly type: 'revoke' | 'reconcile' | 'attest'; readonly place: number }
  | { readonly type: 'pass'; readonly ms: number }
  | { readonly type: 'reopen' };

/** One publication as the model sees it. */
interface Modelled {
  readonly revision: string;
  state: string;
  expiresAt: number;
  settledAt: number;
  isApplied: boolean;
}

interface Model {
  now: number;
  readonly all: Modelled[];
}

/** What a command does; false where it is refused. Written from the rules, not from the code. */
function stepModel(model: Model, command: Command): boolean {
  const { now, all } = model;
  const isInFlight = (): boolean => all.some(({ state }) => state === 'unknown');
  const one = 'place' in command ? all[command.place % Math.max(1, all.length)] : undefined;
  const isOverdue = (some: Modelled | undefined): boolean =>
    some?.state === 'approved' && some.expiresAt <= now;
  switch (command.type) {
    case 'intend': {
      const last = all.findLast(({ revision }) => revision === command.revision);
      const isOver =
        isOverdue(last) || ['rejected', 'expired', 'revoked'].includes(last?.state ?? '');
      if (last !== undefined && !isOver) return true;
      if (isInFlight()) return false;
      if (last !== undefined && isOverdue(last)) last.state = 'expired';
      const { revision } = command;
      all.push({ revision, state: 'intended', expiresAt: 0, settledAt: 0, isApplied: false });
      return true;
    }
    case 'approve':
      if (one?.state !== 'intended') return false;
      one.state = 'approved';
      one.expiresAt = now + command.validForMs;
      return true;
    case 'revoke':
      if (one === undefined) return false;
      if (isOverdue(one)) one.state = 'expired';
      if (one.state === 'expired' || one.state === 'revoked') return true;
      if (one.state !== 'intended' && one.state !== 'approved') return false;
      one.state = 'revoked';
      return true;
    case 'dispatch':
      if (one === undefined || one.state !== 'approved') return false;
      if (isOverdue(one)) {
        one.state = 'expired';
        return false;
      }
      if (isInFlight()) return false;
      one.settledAt = now;
      one.isApplied = ['acknowledges', 'applies', 'babbles'].includes(command.behaviour);
      one.state =
        command.behaviour === 'acknowledges'
          ? 'accepted'
          : command.behaviour === 'refuses'
            ? 'rejected'
            : 'unknown';
      return true;
    case 'reconcile':
      if (one === undefined) return false;
      if (one.state !== 'unknown') return true;
      if (one.isApplied) one.state = 'accepted';
      else if (now - one.settledAt >= SETTLE_MS) one.state = 'rejected';
      return true;
    case 'attest':
      if (one?.state !== 'unknown') return false;
      one.state = one.isApplied ? 'accepted' : 'rejected';
      return true;
    case 'pass':
      model.now += command.ms;
      return true;
    case 'reopen':
      return true;
    default:
      return false;
  }
}

const place = nat({ max: 2 });
const validities = constantFrom(1000, 60_000);
const behaviours = constantFrom<Behaviour[]>(
  'acknowledges',
  'applies',
  'loses',
  'refuses',
  'babbles',
);
const commands = oneof(
  {
    weight: 3,
    arbitrary: record({
      type: constantFrom('intend' as const),
      revision: constantFrom('r1', 'r2'),
    }),
  },
  {
    weight: 6,
    arbitrary: record({ type: constantFrom('approve' as const), place, validForMs: validities }),
  },
  {
    weight: 6,
    arbitrary: record({ type: constantFrom('dispatch' as const), place, behaviour: behaviours }),
  },
  { weight: 2, arbitrary: record({ type: constantFrom('reconcile' as const), place }) },
  {
    weight: 1,
    arbitrary: record({ type: constantFrom('revoke' as const, 'attest' as const), place }),
  },
  {
    weight: 1,
    arbitrary: record({ type: constantFrom('pass' as const), ms: constantFrom(500, 1000, 5000) }),
  },
  { weight: 1, arbitrary: constantFrom<Command[]>({ type: 'reopen' }) },
);

test('agrees with the model after every command, and sends once for each approval', {
  tags: ['slow'],
  timeout: 60_000,
}, async () => {
  let sends = 0;
  await assert(
    asyncProperty(
      array(commands, { minLength: 8, maxLength: 30, size: 'max' }),
      async (sequence) => {
        const clock = manualClock();
        const directory = temporaryDirectory();
        const model: Model = { now: 0, all: [] };
        const applied = new Set<string>();
        const sent: string[] = [];
        let behaviour: Behaviour = 'loses';
        const by = outside(applied, sent, () => behaviour);
        let kernel = await open(directory, { clock });
        await complete(kernel, 'goal');
        for (const command of sequence) {
          if (command.type === 'pass') clock.advance(command.ms);
          if (command.type === 'reopen') {
            await kernel[Symbol.asyncDispose]();
            kernel = await open(directory, { clock });
          }
          if (command.type === 'dispatch') behaviour = command.behaviour;
          const publications = createPublications(kernel);
          const isTaken = await perform(publications, by, command);
          expect([command, isTaken]).toEqual([command, stepModel(model, command)]);
          const views = await publications.list(scope, 'goal');
          expect(views.map(({ state }) => state)).toEqual(model.all.map(({ state }) => state));
          for (const { state, operation } of views) {
            if (state === 'accepted') expect(applied).toContain(operation?.operation_id);
            if (state === 'rejected') expect(applied).not.toContain(operation?.operation_id);
          }
        }
        expect(new Set(sent).size).toBe(sent.length);
        expect(await kernel.verifyTrail(scope)).toMatchObject({ ok: true });
        await kernel[Symbol.asyncDispose]();
        sends += sent.length;
      },
    ),
    { numRuns: Number(process.env['MILLFORGE_PUBLICATION_RUNS'] ?? 24), seed: 7 },
  );
  expect(sends).toBeGreaterThan(10);
});

/** A receiver that tells the truth about what it has, whatever it said when it got it. */
function outside(applied: Set<string>, sent: string[], how: () => Behaviour): Publisher {
  return publisher({
    settleMs: SETTLE_MS,
    async publish({ operationId }) {
      sent.push(operationId);
      switch (how()) {
        case 'acknowledges':
          applied.add(operationId);
          return { kind: 'acknowledged', operationId };
        case 'babbles':
          applied.add(operationId);
          return { kind: 'acknowledged', operationId: 'something' };
        case 'applies':
          applied.add(operationId);
          throw new Error('The answer was lost.');
        case 'refuses':
          return { kind: 'refused', message: 'No.' };
        case 'loses':
          throw new Error('Nothing arrived.');
        default:
          throw new Error('There is no such behaviour.');
      }
    },
    inspect: async ({ operationId }) =>
      applied.has(operationId)
        ? { kind: 'found', operationId }
        : { kind: 'absent', isFinal: false },
  });
}

/** Gives a command to the kernel; false where it refuses. */
async function perform(
  publications: Publications,
  by: Publisher,
  command: Command,
): Promise<boolean> {
  if (command.type === 'intend') {
    return taken(publications.intend(scope, 'goal', request({ revision: command.revision })));
  }
  if (!('place' in command)) return true;
  const all = await publications.list(scope, 'goal');
  const view = all[command.place % Math.max(1, all.length)];
  if (view === undefined) return false;
  const name: PublicationName = { goalId: 'goal', publicationId: view.publication_id };
  switch (command.type) {
    case 'approve': {
      const { validForMs } = command;
      const approval = { intentSha256: view.intent_sha256, validForMs, reason: 'Yes.' };
      return taken(publications.approve(scope, name, approval));
    }
    case 'dispatch':
      return taken(publications.dispatch(scope, name, through(by)));
    case 'revoke':
      return taken(publications.revoke(scope, name, { reason: 'No.' }));
    case 'reconcile':
      return taken(publications.reconcile(scope, name, { publisher: by }));
    case 'attest': {
      const operationId = view.operation?.operation_id ?? '';
      const found = await by.inspect({
        operationId,
        intent: view.intent,
        bytes: Buffer.alloc(0),
        signal: new AbortController().signal,
      });
      const outcome = found.kind === 'found' ? 'accepted' : 'rejected';
      const { version } = view;
      return taken(publications.attest(scope, name, { version, outcome, reason: 'I looked.' }));
    }
    default:
      return false;
  }
}

async function taken(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (MillforgeError.is(error)) return false;
    throw error;
  }
}
