import type { ModelMessage, ModelToolCall } from '@millforge/contracts';
import type { ContextTurn } from './context-turn.ts';
import { headOf, mergeFacts } from './cut-results.ts';
import { estimateMessage } from './estimate-tokens.ts';
import { argumentValues } from './find-facts.ts';

/** What stands for turns that are gone. */
export interface ContextSummary {
  /** Replies that it stands for. */
  readonly turns: number;
  /** One line for each call. */
  readonly lines: readonly string[];
  /** Values that calls used, so that they can be used again. */
  readonly facts: readonly string[];
  /** What people said in these turns, verbatim. */
  readonly said: readonly string[];
  /** Two messages: what happened, and the word to go on. */
  readonly messages: readonly ModelMessage[];
  /** Estimate of these messages. */
  readonly tokens: number;
}

/**
 * Replaces whole turns by one line per call: tool, telling arguments, and how it came out.
 *
 * Two messages stand for all of them, one of the assistant and one of the user, so that roles go on to
 * alternate for templates that demand it. Texts that were re-asked leave no line.
 */
export function summariseTurns(
  before: ContextSummary | null,
  turns: readonly ContextTurn[],
): ContextSummary {
  const facts = turns.flatMap((turn) => [
    ...turn.results.flatMap((result) => result.facts),
    ...argumentValues(turn),
  ]);
  return contextSummary({
    turns: (before?.turns ?? 0) + turns.length,
    lines: [...(before?.lines ?? []), ...turns.flatMap(linesOf)].slice(-MAX_LINES),
    facts: mergeFacts(before?.facts ?? [], facts),
    said: [...(before?.said ?? []), ...turns.flatMap((turn) => turn.said)],
  });
}

/** A summary of at most so many lines, the latest ones; of none, without its facts too. */
export function shortenSummary(summary: ContextSummary, lines: number): ContextSummary {
  if (summary.lines.length <= lines && (lines > 0 || summary.facts.length === 0)) return summary;
  return contextSummary({
    ...summary,
    lines: lines === 0 ? [] : summary.lines.slice(-lines),
    facts: lines === 0 ? [] : summary.facts,
  });
}

function contextSummary(parts: Omit<ContextSummary, 'messages' | 'tokens'>): ContextSummary {
  const { turns, lines, facts, said } = parts;
  const text = [
    `[Summary of ${turns} earlier ${turns === 1 ? 'reply' : 'replies'}, removed to save space]`,
    ...lines,
    ...(facts.length === 0 ? [] : [`Values that were used: ${facts.join(', ')}`]),
  ].join('\n');
  const messages: readonly ModelMessage[] = [
    Object.freeze({ role: 'assistant', content: text }),
    Object.freeze({ role: 'user', content: said.length === 0 ? GO_ON : said.join('\n\n') }),
  ];
  let tokens = 0;
  for (const message of messages) tokens += estimateMessage(message);
  return { ...parts, messages, tokens };
}

function linesOf({ reply, results }: ContextTurn): readonly string[] {
  return (reply.tool_calls ?? []).map((call, index) => {
    const content = results[index]?.message.content ?? '';
    const code = /^\[([a-z_]{1,40})\]/.exec(content)?.[1];
    return `- ${call.name}(${tellingArguments(call)}): ${code ?? 'done'}`;
  });
}

/** Up to three short arguments, those that name something first. */
function tellingArguments({ arguments: text }: ModelToolCall): string {
  if (text.length > MAX_READ) return '…';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The conversation holds objects only, and a wrong one is no reason to fail.
    return '…';
  }
  if (typeof value !== 'object' || value === null) return '…';
  return Object.entries(value)
    .filter(([, item]) => typeof item !== 'object' && item !== null)
    .toSorted(([a], [b]) => rank(a) - rank(b))
    .slice(0, 3)
    .map(([name, item]) => `${name}=${shortValue(item)}`)
    .join(', ');
}

function shortValue(item: unknown): string {
  const text = JSON.stringify(item) ?? '';
  return text.length <= MAX_VALUE ? text : `${headOf(text, MAX_VALUE - 1)}…`;
}

function rank(name: string): number {
  const at = TELLING.findIndex((telling) => name.toLowerCase().endsWith(telling));
  return at < 0 ? TELLING.length : at;
}

const GO_ON = 'Go on from there.';
const TELLING = ['id', 'path', 'file', 'name', 'command', 'pattern', 'query', 'url'];
const MAX_VALUE = 60;
const MAX_READ = 65_536;
/** More calls than that are history that no model follows. */
const MAX_LINES = 120;
