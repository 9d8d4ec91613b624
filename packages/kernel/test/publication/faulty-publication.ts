import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@millforge/contracts';
import type { Kernel } from '@millforge/kernel';
import {
  createPublications,
  type LocalFault,
  type LocalPublisher,
  localPublisher,
  type Publications,
  type PublicationView,
} from '@millforge/kernel/publication';
import { openKernelOn } from '../../src/open-kernel.ts';
import type { Driver } from '../../src/sqlite/driver.ts';
import { crashClock, crashIds, crashScope as scope } from '../crash/finish-goal.ts';
import { journalDriver } from '../crash/journal-driver.ts';
import { linesOf } from '../crash/scenario.ts';
import { complete, request } from './completed-goal.ts';

/** One way in which a sending goes wrong. */
export interface FaultyCase {
  readonly name: string;
  readonly fault: LocalFault | null;
  /** Whether the receiver seals what it is asked about and does not have. */
  readonly seals: boolean;
}

/** Every fault of the local receiver, with and without sealing where that matters. */
export const CASES: readonly FaultyCase[] = [
  { name: 'no fault', fault: null, seals: false },
  { name: 'lost-response', fault: 'lost-response', seals: false },
  { name: 'lost-request', fault: 'lost-request', seals: false },
  { name: 'lost-request, sealed', fault: 'lost-request', seals: true },
  { name: 'duplicate-delivery', fault: 'duplicate-delivery', seals: false },
  { name: 'delayed-apply', fault: 'delayed-apply', seals: false },
  { name: 'delayed-apply, sealed', fault: 'delayed-apply', seals: true },
  { name: 'invalid-acknowledgement', fault: 'invalid-acknowledgement', seals: false },
  { name: 'refusal', fault: 'refusal', seals: false },
];

/** What happens between the crash and the moment when somebody goes on. */
export const BETWEEN = ['nothing', 'revoke', 'expire'] as const;

/** What is done first by whoever goes on. */
export interface GoingOn {
  readonly between: (typeof BETWEEN)[number];
  /** Whether what is delayed arrives before somebody asks for it, or at the very end. */
  readonly arrives: 'early' | 'late';
}

const GOAL = 'goal';
const SETTLE_MS = 2000;
const VALID_MS = 60_000;

/** Makes a trail with a completed goal, to be copied. */
export async function makeCompleted(directory: string): Promise<void> {
  const kernel = await openOn(directory, { clock: crashClock });
  await complete(kernel, GOAL);
  await kernel[Symbol.asyncDispose]();
}

/** Publishes once, all the way: intended, approved, sent through the fault, asked about until nothing more is known. */
export async function publishThrough(
  directory: string,
  { fault, seals }: FaultyCase,
  {
    reach,
    driver = journalDriver(reach),
  }: { readonly reach: (moment: string) => void; readonly driver?: Driver },
): Promise<void> {
  const time = shiftedClock();
  const kernel = await openOn(directory, { clock: time.clock, reach, driver });
  const publications = createPublications(kernel);
  const by = counted(receiverIn(directory, { fault, seals, clock: time.clock }), directory, reach);
  await approveAndSend(publications, by);
  await ask(publications, { by, time });
  await kernel[Symbol.asyncDispose]();
}

/**
 * Goes on where a process was left, as somebody who wants it published and tries everything that is allowed; then
 * gives whatever does not hold at the receiver.
 */
export async function goOn(
  directory: string,
  { seals }: FaultyCase,
  { between, arrives }: GoingOn,
): Promise<Ended> {
  const time = shiftedClock();
  const kernel = await openOn(directory, { clock: time.clock });
  const by = counted(
    receiverIn(directory, { fault: null, seals, clock: time.clock }),
    directory,
    () => undefined,
  );
  try {
    const publications = createPublications(kernel);
    const before = await publications.list(scope, GOAL);
    if (between === 'expire') time.pass(VALID_MS);
    if (between === 'revoke') await revokeAll(publications);
    if (arrives === 'early') await by.applyWaiting();
    await ask(publications, { by, time });
    await sendAgain(publications, by);
    if (between === 'nothing') await approveAndSend(publications, by).catch(() => undefined);
    await ask(publications, { by, time });
    await by.applyWaiting();
    const views = await publications.list(scope, GOAL);
    const verdict = await kernel.verifyTrail(scope);
    return {
      states: views.map(({ state }) => state),
      faults: [
        ...receiverFaults(directory, views),
        ...unusedFaults(before, { views, between }),
        ...(verdict.ok ? [] : [`the trail does not verify: ${verdict.what}`]),
      ],
    };
  } finally {
    await kernel[Symbol.asyncDispose]();
  }
}

/** What came of it. */
export interface Ended {
  readonly states: readonly string[];
  /** What does not hold. */
  readonly faults: readonly string[];
}

/** Time that can be passed over, for what would take too long. */
interface ShiftedClock {
  readonly clock: Clock;
  pass(ms: number): void;
}

function shiftedClock(): ShiftedClock {
  let shiftMs = 0;
  return {
    clock: {
      ...crashClock,
      now: () => crashClock.now() + shiftMs,
      monotonicMs: () => crashClock.monotonicMs() + shiftMs,
    },
    pass(ms) {
      shiftMs += ms;
    },
  };
}

function openOn(
  directory: string,
  {
    clock,
    reach = () => undefined,
    driver = journalDriver(reach),
  }: {
    readonly clock: Clock;
    readonly reach?: (moment: string) => void;
    readonly driver?: Driver;
  },
): Promise<Kernel> {
  mkdirSync(directory, { recursive: true });
  return openKernelOn(driver, {
    path: join(directory, 'trail.db'),
    clock,
    ids: crashIds,
    failpoint: reach,
  });
}

function receiverIn(
  directory: string,
  { fault, seals, clock }: Omit<FaultyCase, 'name'> & { readonly clock: Clock },
): LocalPublisher {
  const receiver = localPublisher({
    directory: join(directory, 'receiver'),
    ids: crashIds,
    now: () => clock.now(),
    fault: () => fault,
    settleMs: SETTLE_MS,
    seals,
  });
  // The directory is another one in every copy; the place that was approved is the same.
  return { ...receiver, target: 'the receiver' };
}

/** Notes every sending before anything of it can arrive. */
function counted(
  by: LocalPublisher,
  directory: string,
  reach: (moment: string) => void,
): LocalPublisher {
  return {
    ...by,
    async publish(asked) {
      appendFileSync(join(directory, 'sends'), `${asked.operationId}\n`);
      reach('before:deliver');
      const answer = await by.publish(asked).finally(() => reach('after:deliver'));
      return answer;
    },
  };
}

async function approveAndSend(publications: Publications, by: LocalPublisher): Promise<void> {
  const action = { publisher: by.name, target: by.target };
  const view = await publications.intend(scope, GOAL, request({ action }));
  const name = { goalId: GOAL, publicationId: view.publication_id };
  if (view.state === 'intended') {
    const approval = { intentSha256: view.intent_sha256, validForMs: VALID_MS, reason: 'Yes.' };
    await publications.approve(scope, name, approval);
  }
  const options = { publisher: by, confirmApprover: () => true, timeoutMs: 1 };
  await publications.dispatch(scope, name, options);
}

/** Asks the receiver about everything that has no known end: at once, and when it has had its time. */
async function ask(
  publications: Publications,
  { by, time }: { readonly by: LocalPublisher; readonly time: ShiftedClock },
): Promise<void> {
  for (const passMs of [0, SETTLE_MS]) {
    time.pass(passMs);
    for (const { publication_id, state } of await publications.list(scope, GOAL)) {
      if (state !== 'sending' && state !== 'unknown') continue;
      await publications.reconcile(
        scope,
        { goalId: GOAL, publicationId: publication_id },
        { publisher: by },
      );
    }
  }
}

/** Tries to send whatever there is; only what is approved and in time may be. */
async function sendAgain(publications: Publications, by: LocalPublisher): Promise<void> {
  const options = { publisher: by, confirmApprover: () => true, timeoutMs: 1 };
  for (const { publication_id } of await publications.list(scope, GOAL)) {
    const name = { goalId: GOAL, publicationId: publication_id };
    await publications.dispatch(scope, name, options).catch(() => undefined);
  }
}

async function revokeAll(publications: Publications): Promise<void> {
  for (const { publication_id } of await publications.list(scope, GOAL)) {
    const name = { goalId: GOAL, publicationId: publication_id };
    await publications.revoke(scope, name, { reason: 'No.' }).catch(() => undefined);
  }
}

/** What the receiver's own files say, against what the trail says. */
function receiverFaults(directory: string, views: readonly PublicationView[]): readonly string[] {
  const sends = linesIn(join(directory, 'sends'));
  const applied = linesIn(join(directory, 'receiver', 'applied'));
  const operations = new Map(
    views.flatMap(({ operation, state }) =>
      operation === null ? [] : [[operation.operation_id, state]],
    ),
  );
  const isApplied = (id: string): boolean =>
    existsSync(join(directory, 'receiver/operations', id)) &&
    readFileSync(join(directory, 'receiver/operations', id), 'utf8').startsWith('applied');
  return [
    ...repeated(sends).map((id) => `sent twice: ${id}`),
    ...repeated(applied).map((id) => `applied twice: ${id}`),
    ...[...sends, ...applied].flatMap((id) =>
      operations.has(id) ? [] : [`sent without a consumed approval: ${id}`],
    ),
    ...([...operations.keys()].filter(isApplied).length > 1
      ? ['the same thing applied twice']
      : []),
    ...[...operations].flatMap(([id, state]) => {
      if (state === 'accepted' && !isApplied(id)) return [`accepted and not there: ${id}`];
      if (state === 'rejected' && isApplied(id)) return [`rejected and there: ${id}`];
      return state === 'sending' ? [`still sending with nobody who sends: ${id}`] : [];
    }),
  ];
}

/** An approval that was taken back, or whose time was over, before it was consumed, is never consumed. */
function unusedFaults(
  before: readonly PublicationView[],
  {
    views,
    between,
  }: { readonly views: readonly PublicationView[]; readonly between: GoingOn['between'] },
): readonly string[] {
  if (between === 'nothing') return [];
  return before.flatMap(({ publication_id, state }) => {
    const after = views.find((view) => view.publication_id === publication_id);
    const wasUnused = state === 'intended' || state === 'approved';
    return wasUnused && after?.operation !== null ? [`${publication_id} was sent after all`] : [];
  });
}

function repeated(lines: readonly string[]): readonly string[] {
  return lines.filter((line, place) => lines.indexOf(line) !== place);
}

function linesIn(path: string): readonly string[] {
  return existsSync(path) ? linesOf(path) : [];
}
