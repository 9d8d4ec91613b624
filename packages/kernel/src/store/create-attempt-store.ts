import { readTask } from './attempt-row.ts';
import { isInDoubt } from './attempt-rules.ts';
import type { AttemptStore } from './attempt-store.ts';
import { beginAttempt, readClaimed } from './claim.ts';
import { doubtAttempt } from './doubt-attempt.ts';
import { failAttempt, suspendAttempt } from './end-attempt.ts';
import { keepLateResult } from './keep-late-result.ts';
import { loadAttempt } from './load-attempt.ts';
import { isEffectful } from './operation-rules.ts';
import { readOutputs } from './read-outputs.ts';
import { pinArtifact, recordArtifact } from './record-artifact.ts';
import { recordResult } from './record-output.ts';
import { releaseLeftAttempt } from './release-left-attempt.ts';
import { resolveLeftAttempt } from './resolve-left-attempt.ts';
import type { StoreParts } from './store-parts.ts';
import {
  doubtSeenAttempt,
  holdSeenTask,
  takeAttemptAgain,
  takeNewAttempt,
} from './take-attempt.ts';

/** Puts the transactions about attempts together. */
export function createAttemptStore({ db, clock, isAlive }: StoreParts): AttemptStore {
  const at = <T extends object>(what: T): T & { readonly now: number } => ({
    ...what,
    now: clock.now(),
  });
  return {
    admit: (standing, by) =>
      db.write('admit-attempt', (tx) => takeNewAttempt(tx, standing, at(by))),
    claim: (standing, by) =>
      db.write('claim-attempt', (tx) => takeAttemptAgain(tx, standing, at(by))),
    doubtLeft: (standing, by) =>
      db.write('doubt-attempt', (tx) => doubtSeenAttempt(tx, standing, at({ ...by, isAlive }))),
    release: (standing, by) =>
      db.write('suspend-attempt', (tx) => releaseLeftAttempt(tx, standing, at(by))),
    hold: (standing, question) =>
      db.write('open-hold', (tx) => holdSeenTask(tx, standing, at(question))),
    resolve: (standing, found) =>
      db.write('resolve-attempt', (tx) => resolveLeftAttempt(tx, standing, at(found))),
    outputs: (goal, task) => db.read((tx) => readOutputs(tx, goal, task)),
    load: (claim, work) => db.read((tx) => loadAttempt(tx, claim, work)),
    begin: (claim) => db.write('begin-attempt', (tx) => beginAttempt(tx, claim, clock.now())),
    async confirm(claim) {
      await db.read((tx) => readClaimed(tx, claim, clock.now()));
    },
    suspend: (claim, how) =>
      db.write('suspend-attempt', (tx) => suspendAttempt(tx, claim, at(how))),
    fail(claim, { failure, task, contract, elapsedMs }) {
      const { isSettled, code, message, isClean } = failure;
      const doubt = { code, message, isSettled };
      if (!isClean && isInDoubt(task)) {
        return db.write('doubt-attempt', (tx) => doubtAttempt(tx, claim, at({ doubt, elapsedMs })));
      }
      return db.write('fail-attempt', (tx) => {
        const { retries } = readTask(tx, claim, claim.taskId);
        const isLast = claim.number >= task.max_attempts + retries;
        // A harmless repeat is tried first; what remains after the last one is in doubt all the same.
        if (isLast && !isClean && task.doubt === 'attempt' && isEffectful(task)) {
          doubtAttempt(tx, claim, at({ doubt, elapsedMs }));
          return;
        }
        failAttempt(
          tx,
          claim,
          at({ failure: { code, message, isClean }, task, contract, elapsedMs }),
        );
      });
    },
    record: (claim, how) => db.write('record-result', (tx) => recordResult(tx, claim, at(how))),
    keepLate: (claim, late) =>
      db.write('refuse-result', (tx) => keepLateResult(tx, claim, at(late))),
    pinArtifact: (claim, digest) =>
      db.write('pin-artifact', (tx) => pinArtifact(tx, claim, digest)),
    saveArtifact: (claim, saved) =>
      db.write('save-artifact', (tx) => recordArtifact(tx, claim, at(saved))),
  };
}
