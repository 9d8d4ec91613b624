import { type MillforgeError, operationSuspended } from '@millforge/contracts';
import type { Closing } from './run-control.ts';

/** The rejection of everything that comes after the end of a run. */
export function suspendedBy({ reason, failure }: Closing): Error {
  return failure === null ? operationSuspended(reason) : operationSuspended(reason, failure);
}

/** Why a rejection says that the run ended. */
export function suspendReason(error: MillforgeError): string {
  const { details } = error;
  const reason =
    typeof details === 'object' && details !== null && 'reason' in details
      ? details['reason']
      : null;
  return typeof reason === 'string' ? reason : 'stopped';
}
