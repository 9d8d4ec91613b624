import type { ModelReply, ModelUsage } from '@millforge/contracts';
import { itemsOf, objectOf, textOf } from '../read-field.ts';
import { besideCall, chatText, chatUsage, finishReason, reasoningIn } from './chat-reply.ts';

/** Puts the chunks of one streamed completion together. */
export interface ChatCollector {
  /** Takes the next chunk and gives the text that it adds. */
  add(chunk: object): string;
  /** The reply as far as it has come. */
  reply(): ModelReply;
  /** What stood beside each call with an id. */
  beside(): ReadonlyMap<string, object>;
}

/** Makes the collector of one completion; how the server cuts its chunks makes no difference. */
export function createChatCollector(): ChatCollector {
  const content: string[] = [];
  const reasoning: string[] = [];
  const calls: StartedCall[] = [];
  let finish: ModelReply['finish_reason'] = 'unknown';
  let usage: ModelUsage | null = null;
  let model: string | null = null;
  return {
    add(chunk) {
      model ??= textOf(chunk, 'model');
      usage = chatUsage(chunk) ?? usage;
      const choice = itemsOf(chunk, 'choices')[0];
      if (choice === undefined) return '';
      if (finish === 'unknown') finish = finishReason(choice);
      const delta = objectOf(choice, 'delta') ?? {};
      const text = chatText(delta, 'content') ?? '';
      content.push(text);
      reasoning.push(reasoningIn(delta) ?? '');
      for (const piece of itemsOf(delta, 'tool_calls')) addPiece(calls, piece);
      return text;
    },
    reply: () => ({
      content: content.join('') || null,
      reasoning: reasoning.join('') || null,
      tool_calls: calls.map(({ id, name, pieces }) => ({ id, name, arguments: pieces.join('') })),
      finish_reason: finish,
      usage,
      provider_model: model,
    }),
    beside: () => new Map(calls.map(({ id, beside }) => [id, beside])),
  };
}

interface StartedCall {
  readonly index: unknown;
  id: string;
  name: string;
  readonly pieces: string[];
  readonly beside: { [field: string]: unknown };
}

/**
 * A piece belongs to the last call with its index; without one, to the last call unless it brings another id. Some
 * servers give every call the same index: then another id, a name and a second object begin another call.
 */
function addPiece(calls: StartedCall[], piece: object): void {
  const index: unknown = Reflect.get(piece, 'index');
  const id = textOf(piece, 'id') ?? '';
  const fn = objectOf(piece, 'function') ?? {};
  const found =
    typeof index === 'number'
      ? calls.findLast((call) => call.index === index)
      : calls.findLast((call) => id === '' || call.id === id);
  const known = found !== undefined && isAnother(found, id, fn) ? undefined : found;
  const call = known ?? { index, id: '', name: '', pieces: [], beside: {} };
  if (known === undefined) calls.push(call);
  if (call.id === '') call.id = id;
  Object.assign(call.beside, besideCall(piece));
  const name = textOf(fn, 'name') ?? '';
  // Most servers send a name whole and again; none sends it in pieces that repeat its beginning.
  if (name !== call.name) call.name += name;
  const args: unknown = Reflect.get(fn, 'arguments');
  if (args !== undefined && args !== null) {
    call.pieces.push(typeof args === 'string' ? args : JSON.stringify(args));
  }
}

function isAnother({ id: known, pieces }: StartedCall, id: string, fn: object): boolean {
  const isNew = id !== '' && known !== '' && id !== known && (textOf(fn, 'name') ?? '') !== '';
  const args: unknown = Reflect.get(fn, 'arguments');
  const begins =
    typeof args === 'string' ? /^\s*\{/.test(args) : args !== undefined && args !== null;
  return isNew && begins && isWhole(pieces.join(''));
}

function isWhole(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
