import type { ModelMessage, ModelToolCall } from '@millforge/contracts';
import { readValue } from '../read-value.ts';

/** A conversation that a server takes, and what had to be changed for it. */
export interface MendedHistory {
  /** The messages; the very same list where nothing had to be changed. */
  readonly messages: readonly ModelMessage[];
  /** One entry per change. */
  readonly mends: readonly HistoryMend[];
}

/** One change of a conversation. */
export interface HistoryMend {
  /** Place of the message that was changed, in the conversation as it was. */
  readonly index: number;
  /** What was wrong. */
  readonly kind:
    | 'arguments-not-object'
    | 'call-id-missing'
    | 'call-id-repeated'
    | 'call-without-result'
    | 'result-without-call';
}

/**
 * Mends a conversation so that no server refuses it for what once went wrong in it.
 *
 * Arguments that are no JSON object stand as `{}`; a call without a result gets one that says so; a result
 * without a call is left out; ids that are missing or stand twice are made. Everything else stays, to the
 * object. Mending what is mended changes nothing.
 */
export function mendHistory(messages: readonly ModelMessage[]): MendedHistory {
  const mends: HistoryMend[] = [];
  const seen = new Set<string>();
  const mended: ModelMessage[] = [];
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index];
    if (message === undefined) continue;
    if (message.role === 'tool') {
      // Results are taken together with their calls; one that is met here has none.
      mends.push({ index, kind: 'result-without-call' });
    } else if (message.role !== 'assistant' || (message.tool_calls ?? []).length === 0) {
      mended.push(message);
    } else {
      const turn = mendTurn(messages, index, seen);
      mended.push(...turn.messages);
      mends.push(...turn.mends);
      index = turn.end - 1;
    }
  }
  return mends.length === 0 ? { messages, mends } : { messages: mended, mends };
}

interface MendedTurn extends MendedHistory {
  /** Place of the first message behind the turn. */
  readonly end: number;
}

/** Mends one assistant message with calls, and the results behind it. */
function mendTurn(messages: readonly ModelMessage[], at: number, seen: Set<string>): MendedTurn {
  const message = messages[at];
  if (message?.role !== 'assistant') return { messages: [], mends: [], end: at + 1 };
  const mends: HistoryMend[] = [];
  const results = resultsBehind(messages, at + 1);
  const left = new Set(results.keys());
  const calls: ModelToolCall[] = [];
  const answers: ModelMessage[] = [];
  for (const [place, call] of (message.tool_calls ?? []).entries()) {
    const id = freshId(call.id, { seen, fallback: `call_${at}_${place}` });
    seen.add(id);
    if (call.id === '') mends.push({ index: at, kind: 'call-id-missing' });
    else if (id !== call.id) mends.push({ index: at, kind: 'call-id-repeated' });
    const isRight = isObjectText(call.arguments);
    if (!isRight) mends.push({ index: at, kind: 'arguments-not-object' });
    const isSame = isRight && id === call.id;
    calls.push(isSame ? call : { id, name: call.name, arguments: isRight ? call.arguments : '{}' });
    const found = [...left].find((index) => results.get(index)?.tool_call_id === call.id);
    const result = found === undefined ? undefined : results.get(found);
    if (found !== undefined) left.delete(found);
    else mends.push({ index: at, kind: 'call-without-result' });
    if (result === undefined) {
      answers.push({ role: 'tool', tool_call_id: id, name: call.name, content: NO_RESULT });
    } else {
      answers.push(id === result.tool_call_id ? result : { ...result, tool_call_id: id });
    }
  }
  for (const index of left) mends.push({ index, kind: 'result-without-call' });
  const isSame = calls.every((call, place) => call === message.tool_calls?.[place]);
  const mended = isSame ? message : { ...message, tool_calls: calls };
  return { messages: [mended, ...answers], mends, end: at + 1 + results.size };
}

type ToolMessage = Extract<ModelMessage, { role: 'tool' }>;

function resultsBehind(messages: readonly ModelMessage[], from: number): Map<number, ToolMessage> {
  const results = new Map<number, ToolMessage>();
  for (let index = from; index < messages.length; index++) {
    const message = messages[index];
    if (message?.role !== 'tool') break;
    results.set(index, message);
  }
  return results;
}

function freshId(
  id: string,
  { seen, fallback }: { readonly seen: ReadonlySet<string>; readonly fallback: string },
): string {
  if (id !== '' && !seen.has(id)) return id;
  let made = fallback;
  for (let more = 1; seen.has(made); more++) made = `${fallback}_${more}`;
  return made;
}

function isObjectText(text: string): boolean {
  const read = readValue(text);
  return (
    read.ok && typeof read.value === 'object' && read.value !== null && !Array.isArray(read.value)
  );
}

const NO_RESULT = 'Not performed: nothing is known of this call.';
