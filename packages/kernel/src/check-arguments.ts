import { MillforgeError } from '@millforge/contracts';
import type { Decision } from './decision.ts';
import { kernelError } from './kernel-error.ts';
import { toPayload } from './store/payloads.ts';

/** Refuses a number that is not whole, or lies below `least`; a program without types can give anything. */
export function checkWholeNumber(name: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw invalid(
    `${name} is ${typeof value === 'number' ? value : 'no number'}`,
    `a whole number from ${least}`,
  );
}

/** Refuses what is no number of milliseconds: nothing is older or younger than that. */
export function checkMilliseconds(name: string, value: number): void {
  if (Number.isFinite(value)) return;
  throw invalid(`${name} is no number`, 'a number of milliseconds');
}

/** Refuses what is no text, or longer than a record should quote. */
export function checkReason(reason: string): void {
  if (typeof reason === 'string' && reason.length <= MAX_REASON_LENGTH) return;
  throw invalid(
    'reason is no text that can be recorded',
    `a text of at most ${MAX_REASON_LENGTH} characters`,
  );
}

/** Refuses what gives no lines; a text gives characters. */
export function checkLines(lines: Iterable<string> | AsyncIterable<string>): void {
  const isGiving =
    typeof lines === 'object' &&
    lines !== null &&
    (Symbol.iterator in lines || Symbol.asyncIterator in lines);
  if (!isGiving) throw invalid('lines gives none', 'the lines of an export, one by one');
}

/** Refuses a decision whose parts are not what they are said to be: a word in place of a yes is no yes. */
export function checkDecision(decision: Decision): void {
  if (typeof decision !== 'object' || decision === null) {
    throw invalid('decision is no object', 'the hold, its version, a decision and a reason');
  }
  const { holdId, reason, outcome, evenIfRunning, newKey } = decision;
  if (typeof holdId !== 'string') throw invalid('holdId is no text', 'the name of an open hold');
  checkReason(reason);
  for (const [name, leave] of Object.entries({ evenIfRunning, newKey })) {
    if (leave === undefined || typeof leave === 'boolean') continue;
    throw invalid(`${name} is neither yes nor no`, 'true or false');
  }
  if (outcome !== undefined) checkOutcome(outcome);
}

function checkOutcome(outcome: NonNullable<Decision['outcome']> | null): void {
  let length: number;
  try {
    length = toPayload(outcome).text.length;
  } catch (cause) {
    const why = MillforgeError.is(cause) ? cause.message : 'it cannot be read';
    throw invalid('outcome is no JSON', `JSON of at most 1 MiB: ${why}`);
  }
  if (length > MAX_OUTCOME_BYTES) throw invalid('outcome is too large', 'JSON of at most 1 MiB');
}

function invalid(what: string, expected: string): MillforgeError {
  return kernelError('kernel/argument-invalid', `The argument ${what}; expected ${expected}.`);
}

const MAX_REASON_LENGTH = 4096;
const MAX_OUTCOME_BYTES = 1_048_576;
