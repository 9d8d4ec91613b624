import type { Kill, LogLine } from './child-order.ts';
import type { Crash } from './crash-rig.ts';
import { BASH_KEY } from './scripted-run.ts';

/** Kills of a run from its beginning: at the first and the last moment of each name, and at each of the command. */
export function crashesOfStart(rehearsed: readonly LogLine[]): readonly Crash[] {
  const names = new Set(rehearsed.flatMap((line) => (line.kind === 'moment' ? line.moment : [])));
  const kills = [...names].flatMap((moment): Kill[] => {
    const total = countOf(rehearsed, moment);
    const counts = new Set([1, total]);
    return [...counts].map((count) => ({ moment, count }));
  });
  const inCommand = killsInCommand(rehearsed);
  const others = kills.filter(
    ({ moment, count }) =>
      !inCommand.some((kill) => kill.moment === moment && kill.count === count),
  );
  return [
    ...[...others, ...inCommand].map((kill): Crash => ({ legs: [{ command: 'start', kill }] })),
    // The person looks, finds that the command never ran, and says so.
    ...inCommand
      .filter(({ moment }) => BEFORE_COMMAND.includes(moment))
      .map((kill): Crash => ({ legs: [{ command: 'start', kill }], answer: 'retry' })),
  ];
}

/** Kills where a run from its beginning never comes: while it is resumed, decided, stopped, cancelled, broken. */
export function furtherCrashes(): readonly Crash[] {
  return [
    ...around('claim-attempt', (kill) => ({
      legs: [
        { command: 'start', kill: once('before-effect:write') },
        { command: 'resume', kill },
      ],
    })),
    ...around('reconcile', (kill) => ({
      legs: [
        { command: 'start', kill: once('before-effect:edit') },
        { command: 'resume', kill },
      ],
    })),
    ...around('readmit-operation', (kill) => ({
      legs: [
        { command: 'start', kill: once('before-effect:write') },
        { command: 'resume', kill },
      ],
    })),
    ...['before-effect:write', 'after-effect:write', 'after:record-operation'].map(
      (moment): Crash => ({
        legs: [
          { command: 'start', kill: once('before-effect:write') },
          { command: 'resume', kill: once(moment) },
        ],
      }),
    ),
    ...around('open-hold', (kill) => ({
      legs: [
        { command: 'start', kill: once('after-effect:bash') },
        { command: 'resume', kill },
      ],
    })),
    ...around('suspend-attempt', (kill) => ({
      legs: [
        { command: 'start', kill: once('after-effect:bash') },
        { command: 'resume', kill },
      ],
    })),
    ...around('decide-hold', (kill) => ({
      legs: [
        { command: 'start', kill: once('after-effect:bash') },
        { command: 'resume' },
        { command: 'decide', kill },
      ],
    })),
    ...around('suspend-attempt', (kill) => ({
      legs: [{ command: 'start', trouble: 'stop-in-command', kill }],
    })),
    ...around('suspend-attempt', (kill) => ({
      legs: [{ command: 'start', trouble: 'stop-now-in-command', kill }],
      lingersFor: 60,
    })),
    ...around('doubt-operation', (kill) => ({
      legs: [{ command: 'start', trouble: 'break-off', kill }],
    })),
    ...around('cancel-goal', (kill) => ({
      legs: [{ command: 'start', trouble: 'cancel', kill }],
      ends: kill.moment === 'before:cancel-goal' ? 'success' : 'cancelled',
    })),
    ...around('refuse-result', (kill) => ({
      legs: [{ command: 'start', trouble: 'cancel-elsewhere', kill }],
      ends: 'cancelled',
    })),
    ...around('fail-attempt', (kill) => ({
      legs: [{ command: 'start', trouble: 'throw', kill }],
      ends: kill.moment === 'before:fail-attempt' ? 'success' : 'failed',
    })),
    ...around('beat-owner', (kill) => ({
      legs: [{ command: 'start', trouble: 'fast-clock', kill }],
      lingersFor: 0.5,
    })),
    ...around('save-artifact', (kill) => ({
      legs: [{ command: 'save', kill }, { command: 'save' }],
    })),
  ];
}

/** Moments at which the command is admitted but cannot have run. */
const BEFORE_COMMAND = ['after:admit-operation', 'before:act', 'before-effect:bash'];

function around(name: string, crash: (kill: Kill) => Crash): readonly Crash[] {
  return [`before:${name}`, `after:${name}`].map((moment) => crash(once(moment)));
}

function once(moment: string): Kill {
  return { moment, count: 1 };
}

function countOf(log: readonly LogLine[], moment: string): number {
  return log.filter((line) => line.kind === 'moment' && line.moment === moment).length;
}

/** Every moment from the begin of the command until the host is told its result. */
function killsInCommand(log: readonly LogLine[]): readonly Kill[] {
  const from = log.findIndex((line) => line.kind === 'begun' && line.key === BASH_KEY);
  const to = log.findIndex((line) => line.kind === 'told' && line.key === BASH_KEY);
  return log
    .slice(from, to)
    .flatMap((line, place) =>
      line.kind === 'moment'
        ? [{ moment: line.moment, count: countOf(log.slice(0, from + place + 1), line.moment) }]
        : [],
    );
}
