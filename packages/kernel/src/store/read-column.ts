import { MillforgeError } from '@millforge/contracts';

/** A column that holds one of a few words; anything else means that the file was changed by hand. */
export function oneOf<const Word extends string>(words: readonly Word[], value: unknown): Word {
  const found = words.find((word) => word === value);
  if (found !== undefined) return found;
  throw new MillforgeError(
    'kernel/corrupt',
    `A column holds a word that no version writes, where one of ${words.join(', ')} belongs; run \`millforge trail verify\`.`,
  );
}

/** A text column that may be empty. */
export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** A number column that may be empty. */
export function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

export const GOAL_STATES = [
  'ready',
  'running',
  'checking',
  'held',
  'completed',
  'failed',
  'cancelled',
] as const;

export const TASK_STATES = [
  'pending',
  'ready',
  'running',
  'held',
  'completed',
  'failed',
  'skipped',
  'cancelled',
] as const;

export const ATTEMPT_STATES = [
  'admitted',
  'running',
  'suspended',
  'ambiguous',
  'recorded',
  'failed',
  'superseded',
  'cancelled',
] as const;

export const OPERATION_STATES = [
  'proposed',
  'admitted',
  'uncertain',
  'recorded',
  'cancelled',
] as const;

export const OUTCOMES = ['done', 'failed', 'refused'] as const;
export const EFFECTS = ['none', 'read', 'write', 'external'] as const;
export const REPEATS = ['safe', 'keyed', 'unsafe'] as const;
export const OPERATION_KINDS = ['model', 'tool', 'read'] as const;
export const DECISIONS = ['retry', 'accept', 'cancel', 'approve', 'deny'] as const;

export const HOLD_REASONS = [
  'ambiguous-operation',
  'ambiguous-attempt',
  'check-unknown',
  'adapter-drift',
  'diverged',
  'approval-required',
  'resume-limit',
  'restored',
] as const;

export const PUBLICATION_STATES = [
  'intended',
  'approved',
  'sending',
  'accepted',
  'unknown',
  'rejected',
  'expired',
  'revoked',
] as const;

export const PUBLICATION_REASONS = [
  'acknowledged',
  'found',
  'attested',
  'refused',
  'not-sent',
  'finally-absent',
  'no-answer',
  'invalid-acknowledgement',
  'publisher-failed',
  'sender-gone',
  'restored',
  'revoked',
  'expired',
] as const;
