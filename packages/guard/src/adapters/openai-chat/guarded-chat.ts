import type { ModelMessage, ModelReply, ModelToolCall } from '@millforge/contracts';
import type { GuardPolicy } from '../../guard-policy.ts';
import { type GuardTool, toGuardTool } from '../../guard-tool.ts';
import type { ToolChoice } from '../../judge/judge-text.ts';
import { createTextRelease, type TextRelease } from '../../stream/text-release.ts';
import { type GuardedTurn, guardTurn } from '../../turn/guard-turn.ts';
import { itemsOf, objectOf, textOf } from '../read-field.ts';
import { besideCall, chatReply } from './chat-reply.ts';
import { createChatCollector } from './collect-chat.ts';

/** What is used of the body of a request for a chat completion. */
export interface ChatRequest {
  /** The conversation. */
  readonly messages: readonly object[];
  /** The tools on offer. */
  readonly tools?: readonly object[] | null | undefined;
  /** The choice that is left to the model. */
  readonly tool_choice?: string | object | null | undefined;
}

/** Sends a request; answers with a completion, or with its chunks when the request asked for a stream. */
export type ChatCreate<Request> = (request: Request) => PromiseLike<object>;

/** How replies are guarded. */
export interface ChatGuardOptions<Request> {
  /** Sends a request: `(request) => client.chat.completions.create(request)`. */
  readonly create: ChatCreate<Request>;
  /** How replies are judged; default `defaultPolicy`. */
  readonly policy?: GuardPolicy;
  /** Told of text while it comes, as far as it cannot be a call; only where the request streams. */
  readonly onText?: (piece: string) => void;
}

/** An assistant message in the form of the chat API. */
export interface ChatMessage {
  /** Always the model's. */
  readonly role: 'assistant';
  /** What was said; null when nothing was. */
  readonly content: string | null;
  /** The calls, when there are any. */
  readonly tool_calls?: {
    /** Pairs the call with its result. */
    id: string;
    /** The only kind. */
    type: 'function';
    /** What is called. */
    function: {
      /** Name of the tool. */
      name: string;
      /** JSON text. */
      arguments: string;
    };
  }[];
}

/** What came of one guarded request. */
export interface GuardedChat {
  /** The message to append to the conversation; answer each of its calls. */
  readonly message: ChatMessage;
  /** All that was judged and asked. */
  readonly turn: GuardedTurn;
}

/**
 * Performs one turn of a conversation in plain chat messages, whichever client sends it.
 *
 * The messages of the request stay as they are; what has to be asked again is appended, and stands in no later
 * request.
 */
export async function guardedChat<Request extends ChatRequest>(
  request: Request,
  options: ChatGuardOptions<Request>,
): Promise<GuardedChat> {
  const tools = guardTools(request);
  const toolChoice = toolChoiceOf(request);
  const release = createTextRelease(tools);
  let first: string | null = null;
  const beside = new Map<string, object>();
  const turn = await guardTurn(
    async (extra, choice) => {
      const answer = await options.create(extended(request, { extra, beside }, choice));
      const shown = extra.length === 0 ? { release, ...options } : {};
      const reply = await read(answer, { ...shown, beside });
      if (extra.length === 0) first = reply.content;
      return reply;
    },
    {
      tools,
      toolChoice,
      idPrefix: `call_${request.messages.length}`,
      takenIds: callIds(request),
      ...(options.policy === undefined ? {} : { policy: options.policy }),
    },
  );
  if (turn.content === first) options.onText?.(release.rest());
  return { message: messageOf(turn, beside), turn };
}

async function read(
  answer: object,
  shown: {
    readonly release?: TextRelease;
    readonly onText?: (piece: string) => void;
    readonly beside: Map<string, object>;
  },
): Promise<ModelReply> {
  const { beside } = shown;
  if (!isStream(answer)) {
    for (const call of callsOf(answer)) beside.set(textOf(call, 'id') ?? '', besideCall(call));
    return chatReply(answer);
  }
  const collector = createChatCollector();
  for await (const chunk of answer) {
    const text = collector.add(chunk);
    const piece = shown.release?.push(text) ?? '';
    if (piece !== '') shown.onText?.(piece);
  }
  for (const [id, fields] of collector.beside()) beside.set(id, fields);
  return collector.reply();
}

function callsOf(completion: object): readonly object[] {
  const message = objectOf(itemsOf(completion, 'choices')[0] ?? {}, 'message');
  return message === null ? [] : itemsOf(message, 'tool_calls');
}

function isStream(answer: object): answer is AsyncIterable<object> {
  return Symbol.asyncIterator in answer;
}

/** What stood beside calls, by their ids. */
type Beside = ReadonlyMap<string, object>;

function messageOf({ content, calls }: GuardedTurn, beside: Beside): ChatMessage {
  if (calls.length === 0) return { role: 'assistant', content };
  return { role: 'assistant', content, tool_calls: calls.map((call) => callItem(call, beside)) };
}

function callItem({ id, name, arguments: args }: ModelToolCall, beside: Beside) {
  return { ...beside.get(id), id, type: 'function' as const, function: { name, arguments: args } };
}

/** The function tools of a request; entries of another kind are passed over. */
function guardTools({ tools }: ChatRequest): readonly GuardTool[] {
  return (tools ?? []).flatMap((tool) => {
    const fn = objectOf(tool, 'function');
    const name = fn === null ? null : textOf(fn, 'name');
    if (fn === null || name === null || name === '') return [];
    const description = textOf(fn, 'description') ?? '';
    return [toGuardTool({ name, description, schema: Reflect.get(fn, 'parameters') })];
  });
}

function toolChoiceOf({ tool_choice: choice }: ChatRequest): ToolChoice {
  if (choice === 'none' || choice === 'required') return choice;
  const fn = typeof choice === 'object' && choice !== null ? objectOf(choice, 'function') : null;
  const name = fn === null ? null : textOf(fn, 'name');
  return name === null ? 'auto' : { name };
}

function callIds({ messages }: ChatRequest): ReadonlySet<string> {
  const calls = messages.flatMap((message) => itemsOf(message, 'tool_calls'));
  return new Set(calls.flatMap((call) => textOf(call, 'id') ?? []));
}

function extended<Request extends ChatRequest>(
  request: Request,
  { extra, beside }: { readonly extra: readonly ModelMessage[]; readonly beside: Beside },
  choice: ToolChoice,
): Request {
  if (extra.length === 0) return request;
  const named = typeof choice === 'string' ? choice : { type: 'function', function: choice };
  const changed =
    request.tool_choice === undefined && choice === 'auto' ? {} : { tool_choice: named };
  return {
    ...request,
    messages: [...request.messages, ...extra.map((message) => toMessage(message, beside))],
    ...changed,
  };
}

function toMessage(message: ModelMessage, beside: Beside): object {
  if (message.role === 'tool') {
    return { role: 'tool', tool_call_id: message.tool_call_id, content: message.content };
  }
  if (message.role !== 'assistant' || message.tool_calls === undefined) return message;
  const calls = message.tool_calls.map((call) => callItem(call, beside));
  return { role: 'assistant', content: message.content, tool_calls: calls };
}
