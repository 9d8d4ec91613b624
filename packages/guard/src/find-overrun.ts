import type { Exhaustion } from './exhaustion.ts';
import type { ObservedLimitName, ObservedUsage } from './observed-usage.ts';

/**
 * The observed limit that one more model turn or tool call would break for certain, or null.
 *
 * A limit of N allows N. What was never reported, as by a provider that counts no tokens, counts as nothing.
 */
export function findOverrun(
  used: ObservedUsage,
  limits: ObservedUsage,
  next: 'model-turn' | 'tool-call',
): Exhaustion | null {
  for (const [name, least] of LEAST[next]) {
    const limit = limits[name];
    const sum = used[name] ?? 0;
    if (limit === undefined || sum + least <= limit) continue;
    const what = next === 'model-turn' ? 'another model turn' : 'another tool call';
    const message = `The run has used ${sum} ${WORDS[name]}; the limit is ${limit}, so there is no room for ${what}.`;
    return { budget: name, limit, message };
  }
  return null;
}

const WORDS: { readonly [Name in ObservedLimitName]: string } = {
  input_tokens: 'input tokens',
  output_tokens: 'output tokens',
  cost_micros: 'millionths of its currency',
  tool_calls: 'tool calls',
  wall_ms: 'milliseconds',
};

/** What the next exchange is certain to add. A reply always has to call a tool. */
const LEAST: {
  readonly [Next in 'model-turn' | 'tool-call']: readonly (readonly [ObservedLimitName, number])[];
} = {
  'model-turn': [
    ['input_tokens', 1],
    ['output_tokens', 1],
    ['cost_micros', 0],
    ['tool_calls', 1],
    ['wall_ms', 0],
  ],
  'tool-call': [
    ['input_tokens', 0],
    ['output_tokens', 0],
    ['cost_micros', 0],
    ['tool_calls', 1],
    ['wall_ms', 0],
  ],
};
