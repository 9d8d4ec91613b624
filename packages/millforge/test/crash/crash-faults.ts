import type { LogLine } from './child-order.ts';
import type { CrashReport } from './crash-rig.ts';
import { BASH_KEY, CHANGED_FILES, TURNS } from './scripted-run.ts';

/** One promise about a crashed and finished run: what is wrong, or null. */
export type Promised = (report: CrashReport) => unknown;

/** Ends as it must, with the summary and the files of an undisturbed run. */
export const endsRight: Promised = ({ crash, finished, files }) => {
  const { status, summary } = finished;
  if (status !== (crash.ends ?? 'success')) return { status };
  if (status !== 'success') return null;
  const isRight =
    summary === 'It is all done.' &&
    Object.entries(CHANGED_FILES).every(([name, text]) => files[name] === text);
  return isRight ? null : { summary, files };
};

/** A person is asked exactly where the call that nobody can look for was in flight. */
export const asksOnlyInDoubt: Promised = ({ finished, isInDoubt }) => {
  const asked = finished.held.map(({ operation, reason }) => `${reason} ${operation}`).join();
  const expected = isInDoubt ? `ambiguous-operation ${BASH_KEY}` : '';
  return asked === expected ? null : { asked, expected };
};

/** Every effect happens once, but for the one that a person said to repeat. */
export const doublesNothing: Promised = ({ crash, commands, finished, log, touchedAgain }) => {
  const changes = log.flatMap((line) =>
    line.kind === 'effect' && line.effect !== 'bash' ? [line.effect] : [],
  );
  const expected = ['edit a.txt', 'write done.txt', 'write notes.txt'];
  const isWhole = finished.status === 'success';
  const areOnce = isWhole
    ? changes.toSorted().join() === expected.join()
    : new Set(changes).size === changes.length;
  const [before, after] = commands;
  const wasAsked = finished.held.length > 0;
  const repeated = wasAsked && crash.answer === 'retry' ? 1 : 0;
  const wanted = wasAsked ? before + repeated : isWhole ? 1 : before;
  return areOnce && before <= 1 && after === wanted && touchedAgain.length === 0
    ? null
    : { changes, commands, touchedAgain };
};

/** What a host was told stands in the trail and is told again, word for word. */
export const losesNothing: Promised = ({ finished, log, seen }) => {
  const before = told(log.slice(0, seen)).filter(({ replayed }) => !replayed);
  const after = told(log.slice(seen));
  // A task that is completed is not gone through again.
  const isReplayed = !log
    .slice(0, seen)
    .some((line) => line.kind === 'moment' && line.moment === 'after:record-result');
  const lost = before.filter(
    ({ key, text }) =>
      finished.recorded[key] !== text ||
      (isReplayed &&
        finished.status === 'success' &&
        !after.some((line) => line.key === key && line.replayed && line.text === text)),
  );
  return lost.length === 0 ? null : lost;
};

/** What a host was told about is never begun again. */
export const repeatsNothingKnown: Promised = ({ log }) => {
  const known = new Set<string>();
  const again: string[] = [];
  for (const line of log) {
    if (line.kind !== 'told' && line.kind !== 'begun') continue;
    if (!line.replayed && known.has(line.key)) again.push(line.key);
    if (line.kind === 'told') known.add(line.key);
  }
  return again.length === 0 ? null : again;
};

/** The model is asked once a turn, and once more for each process that died. */
export const asksModelSparingly: Promised = ({ killed, requests }) =>
  requests <= TURNS + killed ? null : { requests, most: TURNS + killed };

/** The trail of all that happened verifies. */
export const verifies: Promised = ({ finished }) => (finished.verdict.ok ? null : finished.verdict);

function told(log: readonly LogLine[]): readonly Extract<LogLine, { kind: 'told' }>[] {
  return log.filter((line) => line.kind === 'told');
}
