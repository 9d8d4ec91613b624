import type { Operation, Usage } from '@millforge/contracts';
import { kernelError } from '../kernel-error.ts';
import { EFFECTS, OPERATION_KINDS, REPEATS } from '../store/read-column.ts';
import { isWellFormed } from '../store/well-formed-text.ts';

/** Refuses an operation that breaks the rules of the log; such a program is wrong, not its world. */
export function checkOperation(operation: Operation): void {
  const { key, step, kind, describe, effect, repeat, metered }: Partial<Operation> =
    operation ?? NOTHING;
  if (typeof key !== 'string' || key === '' || key.length > 256 || !isWellFormed(key)) {
    throw invalid('a key has 1 to 256 whole characters', typeof key === 'string' ? key : '');
  }
  if (!Number.isSafeInteger(step) || (step ?? -1) < 0) {
    throw invalid('a step is a whole number from 0', key);
  }
  if (typeof describe !== 'string' || describe.length > 1024) {
    throw invalid('the line for a person is a text of at most 1,024 characters', key);
  }
  // A word that nobody knows would be taken for the harmless one wherever it is compared.
  if (!isOneOf(OPERATION_KINDS, kind))
    throw invalid(`a kind is ${OPERATION_KINDS.join(', ')}`, key);
  if (!isOneOf(EFFECTS, effect)) throw invalid(`an effect is ${EFFECTS.join(', ')}`, key);
  if (!isOneOf(REPEATS, repeat)) throw invalid(`repeat is ${REPEATS.join(', ')}`, key);
  if (typeof metered !== 'boolean') throw invalid('metered is true or false', key);
  checkOptional(operation);
}

function checkOptional({ key, sensitive, keyTtlMs, usageBound }: Operation): void {
  if (sensitive !== undefined && typeof sensitive !== 'boolean') {
    throw invalid('sensitive is true or false', key);
  }
  if (keyTtlMs !== undefined && !(Number.isFinite(keyTtlMs) && keyTtlMs >= 0)) {
    throw invalid('keyTtlMs is a number of milliseconds from 0', key);
  }
  if (usageBound !== undefined && !isUsage(usageBound)) {
    throw invalid('usageBound holds whole numbers from 0', key);
  }
}

/** A bound below nothing would make room for what a goal may not use. */
function isUsage(usage: Usage): boolean {
  return (
    typeof usage === 'object' &&
    usage !== null &&
    Object.values(usage).every(
      (amount: unknown) =>
        amount === undefined || (Number.isSafeInteger(amount) && Number(amount) >= 0),
    )
  );
}

function isOneOf(words: readonly string[], word: string | undefined): boolean {
  return word !== undefined && words.includes(word);
}

const NOTHING: Partial<Operation> = {};

function invalid(rule: string, key: string): Error {
  return kernelError(
    'kernel/operation-invalid',
    `The operation ${key.slice(0, 64)} is refused: ${rule}.`,
  );
}
