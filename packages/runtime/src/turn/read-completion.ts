import type { ModelReply, ModelToolCall, ModelUsage } from '@millforge/contracts';
import type { AsJson } from '@millforge/registry';

/** What a model client gave. */
export type ReadCompletion =
  | {
      readonly kind: 'reply';
      /** Exactly the fields of the contract, frozen to their leaves. */
      readonly reply: AsJson<ModelReply>;
      readonly attempts: number;
    }
  | { readonly kind: 'failed'; readonly category: string; readonly message: string }
  | {
      readonly kind: 'fault';
      /** What it lacks of its contract. */
      readonly fault: string;
    };

/**
 * Reads what a client gave, whatever else it may have left in the object; never throws.
 *
 * Its type is a promise that plain JavaScript may break. Each field is read once, and what was looked at is
 * what is recorded: a getter, a proxy or a client that fills its object anew could give something else later.
 */
export function readCompletion(completion: unknown): ReadCompletion {
  try {
    return readFields(completion);
  } catch {
    return { kind: 'fault', fault: 'its completion cannot be read' };
  }
}

function readFields(completion: unknown): ReadCompletion {
  if (!isRecord(completion)) return broken('it gave no completion');
  const { kind } = completion;
  if (kind === 'failed') {
    const { category, message } = completion;
    return isText(category) && isText(message)
      ? { kind, category, message }
      : broken('a failure needs a category and a message');
  }
  const { reply: given, attempts } = completion;
  if (kind !== 'reply' || !isRecord(given)) return broken('a completion is a reply or a failure');
  if (!isCount(attempts)) return broken('attempts must be a number');
  const reply = readReply(given);
  return typeof reply === 'string' ? broken(reply) : { kind, reply, attempts };
}

function broken(fault: string): ReadCompletion {
  return { kind: 'fault', fault };
}

/** The reply, or what is wrong with it. */
function readReply(given: Fields): AsJson<ModelReply> | string {
  const { content, reasoning, provider_model, continuation, finish_reason } = given;
  if (content !== null && !isText(content)) return 'content must be text or null';
  if (reasoning !== null && !isText(reasoning)) return 'reasoning must be text or null';
  if (provider_model !== null && !isText(provider_model)) {
    return 'provider_model must be text or null';
  }
  if (continuation !== undefined && !isText(continuation)) {
    return 'continuation must be text where it is given';
  }
  if (!isText(finish_reason)) return 'finish_reason must be text';
  const { tool_calls: calls, usage: tokens } = given;
  if (!isList(calls)) return 'tool_calls must be an array';
  const tool_calls = readCalls(calls);
  if (tool_calls === null) return 'every call needs id, name and arguments as text';
  const usage = tokens === null ? null : readUsage(tokens);
  if (usage === undefined) return 'usage must be null or numbers of tokens';
  const reply = {
    content,
    reasoning,
    tool_calls,
    finish_reason: FINISH_REASONS.find((known) => known === finish_reason) ?? 'unknown',
    usage,
    provider_model,
  };
  return Object.freeze(continuation === undefined ? reply : { ...reply, continuation });
}

/** The calls of a reply; null where one is none, as is a hole of the list. */
function readCalls(given: readonly unknown[]): readonly AsJson<ModelToolCall>[] | null {
  const calls: AsJson<ModelToolCall>[] = [];
  for (let at = 0; at < given.length; at++) {
    const call = given[at];
    if (!isRecord(call)) return null;
    const { id, name, arguments: args } = call;
    if (!isText(id) || !isText(name) || !isText(args)) return null;
    calls.push(Object.freeze({ id, name, arguments: args }));
  }
  return Object.freeze(calls);
}

/** The tokens of a reply; undefined where they are no numbers. */
function readUsage(given: unknown): AsJson<ModelUsage> | undefined {
  if (!isRecord(given)) return undefined;
  const { input_tokens, output_tokens, cost_micros } = given;
  if (!isCount(input_tokens) || !isCount(output_tokens)) return undefined;
  if (cost_micros === undefined) return Object.freeze({ input_tokens, output_tokens });
  if (!isCount(cost_micros)) return undefined;
  return Object.freeze({ input_tokens, output_tokens, cost_micros });
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

interface Fields {
  readonly [field: string]: unknown;
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

/** `Array.isArray` makes an array one of any; this guard leaves its items unknown. */
function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

const FINISH_REASONS = ['stop', 'tool_calls', 'length', 'content_filter', 'unknown'] as const;
