import { MillforgeError } from '@millforge/contracts';

/**
 * Why a server cannot be reached or understood: a rule or a limit of the host, its loss, no sense, or that it lets
 * nobody in without a token that it takes.
 */
export type LinkFaultReason = 'refused' | 'lost' | 'protocol' | 'unauthorized';

/** Makes the error of a link; it never leaves the package, what leaves is an answer. */
export function linkFault(reason: LinkFaultReason, message: string): MillforgeError {
  return new MillforgeError(`connector-mcp/${reason}`, message);
}

/** Why a link failed; null for any other error. */
export function linkFaultReason(error: unknown): LinkFaultReason | null {
  if (!MillforgeError.is(error)) return null;
  return REASONS.find((reason) => error.code === `connector-mcp/${reason}`) ?? null;
}

const REASONS: readonly LinkFaultReason[] = ['refused', 'lost', 'protocol', 'unauthorized'];
