import type { ModelMessage } from '@millforge/contracts';
import type { ContextTurn } from './context-turn.ts';
import { estimateMessage } from './estimate-tokens.ts';
import type { ContextSummary } from './summarise-turns.ts';

/** A conversation as it is kept inside a budget: first messages, a summary, whole turns. */
export interface ContextState {
  /** System instructions and task; never changed. */
  readonly head: readonly ModelMessage[];
  /** What stands for turns that are gone. */
  readonly summary: ContextSummary | null;
  /** The turns, oldest first. */
  readonly turns: readonly ContextTurn[];
}

/** The estimate of a conversation without the tools. */
export function contextTokens({ head, summary, turns }: ContextState): number {
  let sum = summary?.tokens ?? 0;
  for (const message of head) sum += estimateMessage(message);
  for (const turn of turns) sum += turn.tokens;
  return sum;
}

/** The messages of a conversation, in the order in which the model sees them. */
export function contextMessages({ head, summary, turns }: ContextState): readonly ModelMessage[] {
  return [...head, ...(summary?.messages ?? []), ...turns.flatMap((turn) => turn.messages)];
}
