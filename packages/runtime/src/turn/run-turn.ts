import type { ModelReply } from '@millforge/contracts';
import { type JsonValue, MillforgeError, readJson, toPlainJson } from '@millforge/contracts';
import { type InspectedCall, inspectReply } from '@millforge/guard';
import { endExhausted, type RunEnding } from '../run-ending.ts';
import type { Run } from '../run-state.ts';
import type { AskedCall } from './answer-call.ts';
import { answerCalls } from './answer-calls.ts';
import { askModel, nextQuestion, takeReply } from './ask-model.ts';
import { callPlace } from './call-place.ts';
import { observedOverrun } from './observed-overrun.ts';
import { steerRun } from './steer-run.ts';

/** One model turn and the calls it asked for; null when the run goes on. */
export async function runTurn(run: Run, turn: number): Promise<RunEnding | null> {
  const heard = steerRun(run, turn);
  const steered = heard === null ? null : await heard;
  if (steered !== null) return steered;
  const overrun = observedOverrun(run, 'model-turn');
  if (overrun !== null) return endExhausted(overrun);
  const question = nextQuestion(run, turn);
  if (question.kind === 'ending') return question.ending;
  const outcome = await run.options.operations.perform(question.operation, (context) =>
    askModel(run, question, context),
  );
  const asked = takeReply(run, question, outcome);
  if (asked.kind === 'ending') return asked.ending;
  const { reply, replayed } = asked;
  run.lastText = reply.content ?? run.lastText;
  const { decision, state } = inspectReply(reply, {
    tools: run.tools,
    policy: run.policy,
    state: run.guard,
  });
  run.guard = state;
  // A choice is forced for one request: once the model has called, it decides again.
  run.toolChoice = decision.kind === 're-ask' ? decision.toolChoice : 'auto';
  if (decision.kind === 're-ask') {
    const { reason, message } = decision;
    run.conversation.add({ role: 'assistant', content: textOf(decision.content) });
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
  if (decision.kind === 'text') {
    throw new MillforgeError(
      'internal/unexpected-decision',
      'A strict guard took text for an answer.',
    );
  }
  const content = decision.kind === 'calls' ? decision.content : reply.content;
  const ending = await answerReply(run, { turn, reply, content, replayed, calls: decision.calls });
  return decision.kind === 'exhausted' ? endExhausted(decision.exhaustion) : ending;
}

interface Reply {
  readonly turn: number;
  readonly reply: ModelReply;
  /** What was said beside the calls. */
  readonly content: string | null;
  readonly replayed: boolean;
  readonly calls: readonly InspectedCall[];
}

function answerReply(run: Run, { turn, reply, content, replayed, calls }: Reply) {
  if (calls.length === 0) return null;
  const asked = calls.map((call, index): AskedCall => {
    const place = callPlace(run, { turn, index }, call.name);
    const text = writtenArguments(call, reply);
    const value = call.kind === 'accepted' ? call.arguments : decode(text);
    return { place, call, text, value, replayed };
  });
  const { continuation } = reply;
  const tool_calls = Object.freeze(
    asked.map((one) =>
      Object.freeze({
        id: one.place.callId,
        name: one.place.tool,
        arguments: historyArguments(one),
      }),
    ),
  );
  run.conversation.add(
    continuation === undefined
      ? { role: 'assistant', content, tool_calls }
      : { role: 'assistant', content, tool_calls, continuation },
  );
  return answerCalls(run, asked);
}

/** Arguments as the model wrote them; of a call that stood in the text, what was read of it. */
function writtenArguments(call: InspectedCall, reply: ModelReply): string {
  if (call.index !== undefined) return reply.tool_calls[call.index]?.arguments ?? '';
  return call.kind === 'accepted' ? JSON.stringify(call.arguments) : '';
}

/** An empty assistant message is refused by servers, and two user messages in a row break templates. */
function textOf(content: string | null): string {
  return content === null || content.trim() === '' ? '(empty reply)' : content;
}

/**
 * Arguments as the conversation shows them: verbatim when they are a JSON object.
 *
 * Servers read old arguments back and refuse the request when one of them is no object; what the model
 * really wrote stands in the result that it got.
 */
function historyArguments({ call, text, value }: AskedCall): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return '{}';
  const isWhole = call.kind === 'accepted' && call.repairs.some((repair) => repair.path === '$');
  return isWhole ? JSON.stringify(value) : text;
}

function decode(text: string): JsonValue | undefined {
  const read = readJson(text, { allowControlCharacters: true });
  if (!read.ok) return undefined;
  try {
    return toPlainJson(read.value);
  } catch (error) {
    if (!MillforgeError.is(error, 'json/unsafe-integer')) throw error;
    return undefined;
  }
}
