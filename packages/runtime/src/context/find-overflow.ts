import type { ContextState } from './context-state.ts';
import { estimateMessage, estimateText } from './estimate-tokens.ts';

/** The largest thing that no rung may shorten, by name. */
export function findOverflow(
  { head, summary, turns }: ContextState,
  tools: number,
): { readonly item: string; readonly tokens: number } {
  const items: { readonly item: string; readonly tokens: number }[] = [
    { item: 'the schemas of the tools', tokens: tools },
  ];
  for (const message of head) {
    const item = message.role === 'system' ? 'the system instructions' : 'the task';
    items.push({ item, tokens: estimateMessage(message) });
  }
  const said = [...(summary?.said ?? []), ...turns.flatMap((turn) => turn.said)];
  for (const text of said) items.push({ item: 'a message to the run', tokens: estimateText(text) });
  return items.reduce((most, one) => (one.tokens > most.tokens ? one : most));
}
