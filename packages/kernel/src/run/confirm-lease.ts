import type { LogParts } from './log-parts.ts';

/**
 * Asked right before a callback of the host is entered: a process that was stopped meanwhile reads its fence first, and
 * rejects where the lease was lost. Null while the last heartbeat is young enough to be trusted: then the callback is
 * entered in the same turn, without a wait in which the process could be stopped.
 */
export function confirmLease({
  owner,
  claim,
}: Pick<LogParts, 'owner' | 'claim'>): Promise<void> | null {
  return owner.isLate() ? owner.confirm(claim) : null;
}
