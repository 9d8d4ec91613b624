import {
  type JsonObject,
  type JsonValue,
  type ModelMessage,
  type ModelReply,
  operationFailed,
  operationUnavailable,
  toPlainJson,
  unreachable,
} from '@millforge/contracts';
import type { AsJson } from '@millforge/registry';
import { endRefused, type RunEnding } from '../run-ending.ts';
import type { Run } from '../run-state.ts';

/** What came of asking the model. */
export type ModelTurn =
  | { readonly kind: 'reply'; readonly reply: ModelReply; readonly replayed: boolean }
  | { readonly kind: 'ending'; readonly ending: RunEnding };

/** What the log keeps of a model turn. */
type ModelExchange = AsJson<{
  readonly reply: ModelReply;
  /** Requests sent, retries included. */
  readonly attempts: number;
}>;

/**
 * Asks the model once, as one operation.
 *
 * Its input is what was appended to the conversation since the turn before; the digests are chained,
 * so that a long run digests and stores every message once.
 */
export async function askModel(run: Run, turn: number): Promise<ModelTurn> {
  const { operations, clock } = run.options;
  const { messages } = run.conversation;
  const added = run.conversation.takeNew().map(messageJson);
  let startedAt: number | null = null;
  const outcome = await operations.perform<ModelExchange>(
    {
      key: `model/${turn}`,
      step: turn,
      kind: 'model',
      effect: 'none',
      repeat: 'safe',
      metered: true,
      describe: `model turn ${turn}`,
      ...(turn === 1
        ? { input: { ...fixedInput(run), messages: added } }
        : { input: { messages: added }, extends: `model/${turn - 1}` }),
    },
    async ({ signal, idempotencyKey }) => {
      if (startedAt === null) started(run, { turn, replayed: false });
      startedAt = clock.monotonicMs();
      const completion = await run.options.model.complete(
        { messages, tools: run.tools },
        { signal, idempotencyKey },
      );
      if (completion.kind === 'failed') {
        const failure = { code: completion.category, message: run.redact(completion.message) };
        throw HOPELESS.has(completion.category)
          ? operationFailed(failure)
          : operationUnavailable(failure);
      }
      const { reply, attempts } = completion;
      return {
        value: { reply: recorded(reply), attempts },
        ...(reply.usage === null
          ? {}
          : {
              usage: {
                input_tokens: reply.usage.input_tokens,
                output_tokens: reply.usage.output_tokens,
              },
            }),
      };
    },
  );
  if (startedAt === null && outcome.kind !== 'refused') {
    started(run, { turn, replayed: outcome.replayed });
  }
  switch (outcome.kind) {
    case 'done': {
      const { reply, attempts } = outcome.value;
      const elapsedMs =
        startedAt === null || outcome.replayed ? null : clock.monotonicMs() - startedAt;
      countUsage(run, reply);
      run.observer.emit({
        kind: 'model-replied',
        turn,
        replayed: outcome.replayed,
        content: reply.content,
        reasoning: reply.reasoning,
        calls: reply.tool_calls.map((call) => call.name),
        usage: reply.usage,
        attempts,
        elapsedMs,
      });
      return { kind: 'reply', reply, replayed: outcome.replayed };
    }
    case 'failed':
      return { kind: 'ending', ending: modelFailed(outcome.error.message) };
    case 'refused':
      return {
        kind: 'ending',
        ending:
          endRefused(outcome.reason, 'model_failed') ??
          modelFailed(`The model was not asked: ${outcome.reason.message}`),
      };
  }
}

/** What the first turn says besides its messages, and no later one can change. */
function fixedInput(run: Run): JsonObject {
  return {
    model_profile: run.plan.model_profile.profile_id,
    tools: run.tools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      parameters: toPlainJson(tool.parameters),
    })),
  };
}

function messageJson(message: ModelMessage): JsonValue {
  if (message.role !== 'assistant') return message;
  const { role, content, tool_calls } = message;
  return tool_calls === undefined
    ? { role, content }
    : {
        role,
        content,
        tool_calls: tool_calls.map((call) => ({
          id: call.id,
          name: call.name,
          arguments: call.arguments,
        })),
      };
}

/** Exactly the fields of the contract, whatever else a client may have left in the object. */
function recorded(reply: ModelReply): AsJson<ModelReply> {
  return {
    content: reply.content,
    reasoning: reply.reasoning,
    tool_calls: reply.tool_calls.map((call) => ({
      id: call.id,
      name: call.name,
      arguments: call.arguments,
    })),
    finish_reason: reply.finish_reason,
    usage: reply.usage === null ? null : { ...reply.usage },
    provider_model: reply.provider_model,
  };
}

function started(run: Run, { turn, replayed }: { turn: number; replayed: boolean }): void {
  run.observer.emit({
    kind: 'turn-started',
    turn,
    replayed,
    messageCount: run.conversation.messages.length,
  });
}

function countUsage(run: Run, reply: ModelReply): void {
  run.turns += 1;
  if (reply.usage === null) return;
  run.inputTokens = (run.inputTokens ?? 0) + reply.usage.input_tokens;
  run.outputTokens = (run.outputTokens ?? 0) + reply.usage.output_tokens;
}

function modelFailed(message: string): RunEnding {
  return { kind: 'failure', status: 'failed', failureClass: 'model_failed', message };
}

/** Failures that no later try can mend: the request itself is wrong. Any other may pass, so the run waits. */
const HOPELESS = new Set(['invalid_request', 'unsupported_capability']);
