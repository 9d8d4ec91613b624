import type { ModelReply } from '@millforge/contracts';
import { type JsonValue, MillforgeError, readJson, toPlainJson } from '@millforge/contracts';
import { type InspectedCall, inspectReply } from '@millforge/guard';
import { endExhausted, type RunEnding } from '../run-ending.ts';
import type { Run } from '../run-state.ts';
import { answerCalls } from './answer-calls.ts';
import { askModel } from './ask-model.ts';
import { callPlace } from './call-place.ts';

/** One model turn and the calls it asked for; null when the run goes on. */
export async function runTurn(run: Run, turn: number): Promise<RunEnding | null> {
  const asked = await askModel(run, turn);
  if (asked.kind === 'ending') return asked.ending;
  const { reply, replayed } = asked;
  const { decision, state } = inspectReply(reply, {
    tools: run.tools,
    policy: run.policy,
    state: run.guard,
  });
  run.guard = state;
  if (decision.kind === 're-ask') {
    const { reason, message } = decision;
    run.conversation.add({ role: 'assistant', content: textOf(reply) });
    run.conversation.add({ role: 'user', content: message });
    run.options.trail.append({
      key: `re-ask/${turn}`,
      step: turn,
      type: 'model-re-asked',
      data: { reason, in_a_row: state.consecutive.validation_retries },
    });
    run.observer.emit({ kind: 'model-re-asked', turn, replayed, reason });
    return null;
  }
  const ending = await answerReply(run, { turn, reply, replayed, calls: decision.calls });
  return decision.kind === 'exhausted' ? endExhausted(decision.exhaustion) : ending;
}

interface Reply {
  readonly turn: number;
  readonly reply: ModelReply;
  readonly replayed: boolean;
  readonly calls: readonly InspectedCall[];
}

async function answerReply(run: Run, { turn, reply, replayed, calls }: Reply) {
  if (calls.length === 0) return null;
  const written = calls.map((call, index) => {
    const text = reply.tool_calls[index]?.arguments ?? '';
    return call.kind === 'accepted' ? { text, value: call.arguments } : { text, ...decode(text) };
  });
  run.conversation.add({
    role: 'assistant',
    content: reply.content,
    tool_calls: calls.map((call, index) => {
      const { callId, tool } = callPlace(run, { turn, index }, call.name);
      return { id: callId, name: tool, arguments: historyArguments(call, written[index]) };
    }),
  });
  return answerCalls(run, {
    turn,
    calls,
    written: written.map(({ text, value }) => (value === undefined ? text : value)),
    replayed,
  });
}

/** An empty assistant message is refused by servers, and two user messages in a row break templates. */
function textOf({ content }: ModelReply): string {
  return content === null || content.trim() === '' ? '(empty reply)' : content;
}

/**
 * Arguments as the conversation shows them: verbatim when they are a JSON object.
 *
 * Servers read old arguments back and refuse the request when one of them is no object; what the model
 * really wrote stands in the result that it got.
 */
function historyArguments(
  call: InspectedCall,
  written: { readonly text: string; readonly value?: JsonValue } | undefined,
): string {
  const value = written?.value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return '{}';
  const isWhole = call.kind === 'accepted' && call.repairs.some((repair) => repair.path === '$');
  return isWhole || written === undefined ? JSON.stringify(value) : written.text;
}

function decode(text: string): { readonly value?: JsonValue } {
  const read = readJson(text, { allowControlCharacters: true });
  if (!read.ok) return {};
  try {
    return { value: toPlainJson(read.value) };
  } catch (error) {
    if (!MillforgeError.is(error, 'json/unsafe-integer')) throw error;
    return {};
  }
}
