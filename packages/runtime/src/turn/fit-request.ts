import { contextLimits } from '../context/context-limits.ts';
import type { RunEnding } from '../run-ending.ts';
import type { ContextCompacted } from '../run-event.ts';
import type { Run } from '../run-state.ts';

/** What shortening a conversation did, in tokens as the provider counts them. */
export type Shortening = Omit<ContextCompacted, 'kind' | 'turn' | 'replayed'>;

/** A request that fits the model's context, with what had to be shortened for it; or the end of the run. */
export type FittedRequest =
  | { readonly kind: 'fits'; readonly compacted: Shortening | null }
  | { readonly kind: 'ending'; readonly ending: RunEnding };

/**
 * Shortens the conversation when the plan's context budget asks for it, before a request.
 *
 * Follows from the messages and the recorded usage alone, so a replay shortens alike.
 */
export function fitRequest(run: Run, turn: number): FittedRequest {
  const { conversation, plan, toolTokens } = run;
  const limits = contextLimits(plan.context_policy, { ratio: run.tokenRatio, tools: toolTokens });
  const done = conversation.compact(limits);
  run.sentTokens = conversation.tokens + toolTokens;
  if (done === null) return { kind: 'fits', compacted: null };
  if ('item' in done) return { kind: 'ending', ending: tooLarge(run, done) };
  const scale = (tokens: number) => Math.round((tokens + toolTokens) * run.tokenRatio);
  const compacted: Shortening = {
    rung: done.rung,
    tokensBefore: scale(done.tokensBefore),
    tokensAfter: scale(done.tokensAfter),
    summarisedTurns: done.summarisedTurns,
  };
  run.options.trail.append({
    key: `compaction/${turn}`,
    step: turn,
    type: 'context-compacted',
    data: shorteningJson(compacted),
  });
  return { kind: 'fits', compacted };
}

/** The form in which a shortening is recorded. */
export function shorteningJson(done: Shortening) {
  return {
    rung: done.rung,
    tokens_before: done.tokensBefore,
    tokens_after: done.tokensAfter,
    summarised_turns: done.summarisedTurns,
  };
}

function tooLarge(
  run: Run,
  { item, tokens }: { readonly item: string; readonly tokens: number },
): RunEnding {
  const budget = run.plan.context_policy.budget_tokens;
  const needed = Math.round(tokens * run.tokenRatio);
  return {
    kind: 'failure',
    status: 'budget_exhausted',
    failureClass: 'context_exhausted',
    message: `The conversation does not fit into ${budget} tokens however it is shortened: ${item} alone takes about ${needed}; raise the context budget of the harness, or make that smaller.`,
  };
}
