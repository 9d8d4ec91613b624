import {
  MillforgeError,
  type ModelClient,
  type ModelMessage,
  type ModelReply,
} from '@millforge/contracts';
import { uniqueCallIds } from '../client/call-ids.ts';
import type { ModelsErrorCode } from '../error-codes.ts';
import type { ModelScript, ScriptedReply } from './model-script.ts';
import { readModelScript } from './read-model-script.ts';
import { endOfScript, scriptedTurn } from './scripted-turn.ts';

/**
 * Makes a model that answers from a script, without a network.
 *
 * The reply is chosen by the number of assistant messages in the request; when the script has no more,
 * the answer is the failure `invalid_request`.
 *
 * @throws `models/invalid-script` at once for a script that {@link readModelScript} refuses.
 */
export function createScriptedModel(script: ModelScript): ModelClient {
  const { replies } = checkedScript(script);
  return {
    complete(request, call) {
      if (call.signal.aborted) {
        return Promise.resolve({
          kind: 'failed',
          category: 'cancelled',
          message: 'The model call was cancelled.',
          retryable: false,
          sent: false,
        });
      }
      const turn = scriptedTurn(request.messages);
      const reply = replies[turn];
      if (reply === undefined) {
        return Promise.resolve({
          kind: 'failed',
          category: 'invalid_request',
          message: endOfScript(turn, replies.length),
          retryable: false,
          sent: false,
        });
      }
      return Promise.resolve({
        kind: 'reply',
        reply: spoken(reply, request.messages),
        attempts: 1,
      });
    },
  };
}

function checkedScript(script: ModelScript): ModelScript {
  const read = readModelScript(script);
  if (read.ok) return read.script;
  const code: ModelsErrorCode = 'models/invalid-script';
  const problems = read.problems.map(({ path, message }) => ({ path, message }));
  const first = problems[0];
  throw new MillforgeError(
    code,
    `The model script is wrong at ${first?.path ?? '/'}: ${first?.message ?? ''}`,
    { details: { problems } },
  );
}

function spoken(reply: ScriptedReply, conversation: readonly ModelMessage[]): ModelReply {
  const calls = reply.tool_calls ?? [];
  const ids = uniqueCallIds(
    calls.map(() => null),
    conversation,
  );
  const content = reply.content ?? '';
  return {
    content: content.trim() === '' ? null : content,
    reasoning: null,
    tool_calls: calls.map((call, index) => ({
      id: ids[index] ?? '',
      name: call.name,
      arguments:
        typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
    })),
    finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
    usage: reply.usage ?? null,
    provider_model: 'scripted',
  };
}
