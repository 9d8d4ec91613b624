import type { ContextTurn } from './context-turn.ts';

/**
 * The values that calls of a turn carried: identifiers, paths, numbers that a model has to repeat.
 *
 * Texts of one line, 3 to 120 characters, and numbers of at least four digits; what is shorter turns up
 * in any text by chance, and what is longer is no name.
 */
export function argumentValues(turn: Pick<ContextTurn, 'reply'>): readonly string[] {
  const values = new Set<string>();
  for (const call of turn.reply.tool_calls ?? []) {
    // A whole file in the arguments has no names that are worth a search.
    if (call.arguments.length > MAX_ARGUMENTS) continue;
    for (const value of leaves(call.arguments)) {
      if (values.size >= MAX_VALUES) break;
      if (isName(value)) values.add(value);
    }
  }
  return [...values];
}

/** Those of some values that a text holds and its shortened form has lost. */
export function lostFacts(text: string, kept: string, values: Iterable<string>): readonly string[] {
  const facts: string[] = [];
  for (const value of values) {
    if (facts.length >= MAX_FACTS) break;
    if (text.includes(value) && !kept.includes(value)) facts.push(value);
  }
  return facts;
}

function leaves(text: string): readonly string[] {
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch {
    // The conversation holds objects only; anything else carries no value that could be repeated.
    return [];
  }
  const found: string[] = [];
  const pending: unknown[] = [root];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next === 'string') found.push(next);
    else if (typeof next === 'number') found.push(String(next));
    else if (typeof next === 'object' && next !== null) {
      for (const child of Object.values(next).toReversed()) {
        if (child !== undefined) pending.push(child);
      }
    }
  }
  return found;
}

function isName(value: string): boolean {
  if (/^-?\d+$/.test(value)) return value.length >= 4;
  return value.length >= 3 && value.length <= 120 && !/[\n\r]/.test(value) && value.trim() !== '';
}

const MAX_ARGUMENTS = 16_384;
const MAX_VALUES = 32;
const MAX_FACTS = 16;
