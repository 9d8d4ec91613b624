import type { ModelReply } from '@millforge/contracts';
import type { AsJson } from '@millforge/registry';

/** Exactly the fields of the contract, frozen, whatever else a client may have left in the object. */
export function recordedReply(reply: ModelReply): AsJson<ModelReply> {
  const { usage, continuation } = reply;
  const calls = reply.tool_calls.map((call) =>
    Object.freeze({ id: call.id, name: call.name, arguments: call.arguments }),
  );
  const recorded = {
    content: reply.content,
    reasoning: reply.reasoning,
    tool_calls: Object.freeze(calls),
    finish_reason: reply.finish_reason,
    usage: usage === null ? null : Object.freeze(recordedUsage(usage)),
    provider_model: reply.provider_model,
  };
  return Object.freeze(continuation === undefined ? recorded : { ...recorded, continuation });
}

function recordedUsage(usage: NonNullable<ModelReply['usage']>) {
  const { input_tokens, output_tokens, cost_micros } = usage;
  return cost_micros === undefined
    ? { input_tokens, output_tokens }
    : { input_tokens, output_tokens, cost_micros };
}

/** What a completion lacks of its contract, or null; its type is a promise that plain JavaScript may break. */
export function completionFault(completion: unknown): string | null {
  if (!isRecord(completion)) return 'it gave no completion';
  const { kind, reply, attempts, category, message } = completion;
  if (kind === 'failed') {
    const isWhole = typeof category === 'string' && typeof message === 'string';
    return isWhole ? null : 'a failure needs a category and a message';
  }
  if (kind !== 'reply' || !isRecord(reply)) return 'a completion is a reply or a failure';
  if (!isCount(attempts)) return 'attempts must be a number';
  const { content, reasoning, provider_model, continuation } = reply;
  if (content !== null && !isText(content)) return 'content must be text or null';
  if (reasoning !== null && !isText(reasoning)) return 'reasoning must be text or null';
  if (provider_model !== null && !isText(provider_model)) {
    return 'provider_model must be text or null';
  }
  if (continuation !== undefined && typeof continuation !== 'string') {
    return 'continuation must be text where it is given';
  }
  if (typeof reply['finish_reason'] !== 'string') return 'finish_reason must be text';
  return callsFault(reply['tool_calls']) ?? usageFault(reply['usage']);
}

function callsFault(calls: unknown): string | null {
  if (!Array.isArray(calls)) return 'tool_calls must be an array';
  const isWhole = calls.every(
    (call: unknown) =>
      isRecord(call) && isText(call['id']) && isText(call['name']) && isText(call['arguments']),
  );
  return isWhole ? null : 'every call needs id, name and arguments as text';
}

function usageFault(usage: unknown): string | null {
  if (usage === null) return null;
  const isWhole =
    isRecord(usage) &&
    isCount(usage['input_tokens']) &&
    isCount(usage['output_tokens']) &&
    (usage['cost_micros'] === undefined || isCount(usage['cost_micros']));
  return isWhole ? null : 'usage must be null or numbers of tokens';
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isRecord(value: unknown): value is { readonly [field: string]: unknown } {
  return typeof value === 'object' && value !== null;
}
