import type { ModelMessage, ModelTool, ModelToolCall } from '@millforge/contracts';

/**
 * Estimates the tokens of a text: four ASCII characters each, any other character one.
 *
 * Errs upward for scripts of which a tokenizer packs several characters into one token; what a
 * provider reports corrects that.
 */
export function estimateText(text: string): number {
  let others = 0;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 127) others += 1;
  return Math.ceil((text.length - others) / 4) + others;
}

/** Estimates the tokens of a message with its calls: names and arguments count, as does its frame. */
export function estimateMessage(message: ModelMessage): number {
  const said = FRAME + (message.content === null ? 0 : estimateText(message.content));
  if (message.role === 'tool') {
    const images = message.images === undefined ? 0 : message.images.length * IMAGE;
    return said + estimateText(message.name) + images;
  }
  if (message.role !== 'assistant') return said;
  let calls = message.continuation === undefined ? 0 : estimateText(message.continuation);
  const { tool_calls: all = NONE } = message;
  // Counted: the calls are frozen, and for those the engine goes through an iterator.
  for (let at = 0; at < all.length; at++) {
    const call = all[at];
    if (call === undefined) continue;
    calls += CALL_FRAME + estimateText(call.name) + estimateText(call.arguments);
  }
  return said + calls;
}

/** Estimates what the tools on offer take of every request: names, descriptions and schemas. */
export function estimateTools(tools: readonly ModelTool[]): number {
  let sum = 0;
  for (const { name, description, parameters } of tools) {
    sum += CALL_FRAME + estimateText(name) + estimateText(description);
    sum += estimateText(JSON.stringify(parameters));
  }
  return sum;
}

const NONE: readonly ModelToolCall[] = [];
/** An image, whatever its size: providers bring large ones down to about that. */
const IMAGE = 1200;
/** Role and separators of one message in the usual templates. */
const FRAME = 4;
/** Id, type and braces of one call. */
const CALL_FRAME = 12;
