import type { Kill, LogLine } from './child-order.ts';
import {
  asksModelSparingly,
  asksOnlyInDoubt,
  doublesNothing,
  endsRight,
  losesNothing,
  repeatsNothingKnown,
  verifies,
} from './crash-faults.ts';
import { type Crash, type CrashReport, createCrashRig, twoAtOnce } from './crash-rig.ts';

/** Phases of an operation in which a process can die. */
export const PHASES = [
  'before admit',
  'admitted',
  'in act',
  'after act',
  'before record',
  'recorded',
] as const;

/** One of them. */
export type Phase = (typeof PHASES)[number];

/** What so many kills came to. */
export interface SoakFigures {
  /** Kills by the phase in which the process really died. */
  readonly phases: Readonly<Record<Phase, number>>;
  /** Kills by the operation for which they were drawn. */
  readonly operations: Readonly<Record<string, number>>;
  /** Further kills of processes that resumed. */
  readonly secondKills: number;
  /** Runs that ended in success. */
  readonly success: number;
  /** Of these, runs that had asked a person on the way. */
  readonly held: number;
  /** Runs by the promise that they broke, with how they were crashed. */
  readonly broken: Readonly<Record<keyof typeof PROMISES, readonly Crash[]>>;
}

/** Kills `count` runs at moments drawn from a seed over operations and their phases, and finishes each. */
export async function soakKills(options: {
  readonly count: number;
  readonly seed: number;
  readonly onKill?: (done: number) => void;
}): Promise<SoakFigures> {
  using rig = await createCrashRig();
  const spots = spotsOf(await rig.rehearse([{ command: 'start' }]));
  const random = seeded(options.seed);
  const crashes = Array.from({ length: options.count }, (_, place) =>
    drawCrash(spots, PHASES[place % PHASES.length] ?? 'in act', random),
  );
  let done = 0;
  const kills = await twoAtOnce(crashes, async ({ crash, operation }) => {
    const report = await rig.crash(crash);
    done += 1;
    options.onKill?.(done);
    return { operation, report };
  });
  return figuresOf(kills);
}

/** A moment of an operation. */
interface Spot {
  readonly operation: string;
  readonly phase: Phase;
  readonly kill: Kill;
}

/** Divides what a run went through into operations, by their records. */
function spotsOf(log: readonly LogLine[]): readonly Spot[] {
  const counts = new Map<string, number>();
  const spots: Spot[] = [];
  let pending: Kill[] = [];
  for (const line of log) {
    if (line.kind === 'moment') {
      const count = (counts.get(line.moment) ?? 0) + 1;
      counts.set(line.moment, count);
      pending.push({ moment: line.moment, count });
    }
    if (line.kind !== 'told') continue;
    // An act that tells of no moment inside it is caught by dying a little behind its begin.
    if (!pending.some((kill) => phaseOf(kill) === 'in act')) {
      pending.push(
        ...pending
          .filter(({ moment }) => moment === 'before:act')
          .map((kill) => ({ ...kill, isLate: true })),
      );
    }
    for (const kill of pending) {
      const phase = phaseOf(kill);
      if (phase !== null) spots.push({ operation: line.key, phase, kill });
    }
    pending = [];
  }
  return spots;
}

function phaseOf({ moment, isLate }: Pick<Kill, 'moment' | 'isLate'>): Phase | null {
  switch (moment) {
    case 'before:before':
    case 'after:before':
    case 'before:admit-operation':
      return 'before admit';
    case 'after:admit-operation':
      return 'admitted';
    case 'before:act':
      return isLate === true ? 'in act' : 'admitted';
    case 'asking:model':
    case 'answered:model':
    case 'before-effect:write':
    case 'after-effect:write':
    case 'before-effect:edit':
    case 'after-effect:edit':
    case 'before-effect:bash':
    case 'after-effect:bash':
      return 'in act';
    case 'after:act':
      return 'after act';
    case 'before:record-operation':
      return 'before record';
    case 'after:record-operation':
      return 'recorded';
    default:
      return null;
  }
}

function drawCrash(
  spots: readonly Spot[],
  phase: Phase,
  random: () => number,
): { readonly operation: string; readonly crash: Crash } {
  const inPhase = spots.filter((spot) => spot.phase === phase);
  const operation = pick([...new Set(inPhase.map((spot) => spot.operation))], random);
  const { kill } = pick(
    inPhase.filter((spot) => spot.operation === operation),
    random,
  );
  const second = pick(SECOND_KILLS, random);
  const legs: Crash['legs'] = [
    { command: 'start', kill },
    ...(random() < 0.3 ? [{ command: 'resume' as const, kill: second }] : []),
  ];
  return { operation, crash: { legs, answer: random() < 0.5 ? 'accept' : 'retry' } };
}

/** Where a resuming process is killed as well, if it comes there. */
const SECOND_KILLS: readonly Kill[] = [
  { moment: 'before:claim-attempt', count: 1, mayMiss: true },
  { moment: 'after:claim-attempt', count: 1, mayMiss: true },
  { moment: 'after:reconcile', count: 1, mayMiss: true },
  { moment: 'after:open-hold', count: 1, mayMiss: true },
  { moment: 'answered:model', count: 1, mayMiss: true },
  { moment: 'before:record-operation', count: 2, mayMiss: true },
  { moment: 'before:record-result', count: 1, mayMiss: true },
];

const PROMISES = {
  'ended wrongly': endsRight,
  'asked a person wrongly': asksOnlyInDoubt,
  'doubled effects': doublesNothing,
  'lost results': losesNothing,
  'repeated what was known': repeatsNothingKnown,
  'asked the model too often': asksModelSparingly,
  'broken trails': verifies,
};

function figuresOf(
  kills: readonly { readonly operation: string; readonly report: CrashReport }[],
): SoakFigures {
  const reports = kills.map(({ report }) => report);
  const brokenBy = (name: keyof typeof PROMISES): readonly Crash[] =>
    reports.filter((report) => PROMISES[name](report) !== null).map(({ crash }) => crash);
  return {
    phases: { ...NO_KILLS, ...countBy(reports.map(phaseOfDeath)) },
    operations: countBy(kills.map(({ operation }) => operation)),
    secondKills: reports.filter(({ killed }) => killed > 1).length,
    success: reports.filter(({ finished }) => finished.status === 'success').length,
    held: reports.filter(({ finished }) => finished.held.length > 0).length,
    broken: {
      'ended wrongly': brokenBy('ended wrongly'),
      'asked a person wrongly': brokenBy('asked a person wrongly'),
      'doubled effects': brokenBy('doubled effects'),
      'lost results': brokenBy('lost results'),
      'repeated what was known': brokenBy('repeated what was known'),
      'asked the model too often': brokenBy('asked the model too often'),
      'broken trails': brokenBy('broken trails'),
    },
  };
}

/** Where the first process really died: one that dies late may have come further than was drawn. */
function phaseOfDeath({ crash, log }: CrashReport): Phase {
  const last = log.findLast((line) => line.kind === 'moment' && line.pid === log[0]?.pid);
  const moment = last?.kind === 'moment' ? last.moment : '';
  const isLate = crash.legs[0]?.kill?.isLate === true;
  return phaseOf({ moment, isLate }) ?? 'recorded';
}

function countBy(names: readonly string[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Object.fromEntries([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const NO_KILLS: Readonly<Record<Phase, number>> = {
  'before admit': 0,
  admitted: 0,
  'in act': 0,
  'after act': 0,
  'before record': 0,
  recorded: 0,
};

function pick<T>(items: readonly T[], random: () => number): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('There is nothing to draw from.');
  return item;
}

/** Numbers from 0 to below 1 that a seed determines. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
