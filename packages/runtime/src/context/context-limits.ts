import type { ContextPolicy } from '@millforge/contracts';
import type { ContextLimits } from './fit-context.ts';

/** How many tokens the provider counts for each one that is estimated; 1 until it has reported. */
export type TokenRatio = number;

/**
 * The ratio after a reply: what the provider counted for a request, to what was estimated for it.
 *
 * Bounded, because some servers report only the part of a prompt that their cache did not have.
 */
export function tokenRatio(reported: number, estimated: number): TokenRatio {
  if (reported <= 0 || estimated <= 0) return 1;
  return Math.min(MOST, Math.max(LEAST, reported / estimated));
}

/** The limits of a plan in estimated tokens, corrected by what the provider counts. */
export function contextLimits(
  policy: ContextPolicy,
  counted: { readonly ratio: TokenRatio; readonly tools: number },
): ContextLimits {
  const budget = policy.budget_tokens / counted.ratio;
  const { phase_thresholds: phases } = policy;
  return {
    budget,
    // By their places: to take a frozen list apart goes through its iterator, before every request.
    thresholds: [
      Math.floor(budget * phases[0]),
      Math.floor(budget * phases[1]),
      Math.floor(budget * phases[2]),
    ],
    keepRecent: policy.keep_recent_iterations,
    tools: counted.tools,
  };
}

const LEAST = 0.5;
const MOST = 8;
