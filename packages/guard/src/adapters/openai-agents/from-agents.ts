import {
  type ModelMessage,
  type ModelReply,
  type ModelToolCall,
  unreachable,
} from '@millforge/contracts';
import { type GuardTool, toGuardTool } from '../../guard-tool.ts';
import type { ToolChoice } from '../../judge/judge-text.ts';
import type { GuardedTurn } from '../../turn/guard-turn.ts';
import { itemsOf, textOf } from '../read-field.ts';
import type { AgentsRequest, AgentsResponse, AgentsUsage } from './agents-shapes.ts';

/** The function tools and handoffs of a request; both are called by name with JSON. */
export function guardTools({ tools, handoffs = [] }: AgentsRequest): readonly GuardTool[] {
  const functions = tools
    .filter((tool) => textOf(tool, 'type') === 'function')
    .map((tool) => toolOf(tool, ['name', 'description', 'parameters']));
  const handovers = handoffs.map((handoff) =>
    toolOf(handoff, ['toolName', 'toolDescription', 'inputJsonSchema']),
  );
  return [...functions, ...handovers].filter((tool) => tool.name !== '');
}

function toolOf(
  tool: object,
  [name, description, schema]: readonly [string, string, string],
): GuardTool {
  const named = textOf(tool, name) ?? '';
  if (named === '') return { name: '', description: '', parameters: null };
  return toGuardTool({
    name: named,
    description: textOf(tool, description) ?? '',
    schema: Reflect.get(tool, schema),
  });
}

/** The choice that a request leaves to the model. */
export function toolChoiceOf({ modelSettings }: AgentsRequest): ToolChoice {
  const { toolChoice = 'auto' } = modelSettings;
  if (toolChoice === 'auto' || toolChoice === 'none' || toolChoice === 'required')
    return toolChoice;
  return { name: toolChoice };
}

/** The ids of the calls that stand in the conversation. */
export function callIds({ input }: AgentsRequest): ReadonlySet<string> {
  const items = typeof input === 'string' ? [] : input;
  return new Set(items.flatMap((item) => textOf(item, 'callId') ?? []));
}

/** What a turn has come to: the messages behind the conversation, and the responses that they answer. */
export interface Asking {
  /** The model's messages, what was wrong with them, and so on. */
  readonly extra: readonly ModelMessage[];
  /** The responses, one for each message of the model. */
  readonly responses: readonly AgentsResponse[];
}

/** A request that goes on after these messages, with a choice that may be narrower. */
export function extended(
  request: AgentsRequest,
  { extra, responses }: Asking,
  choice: ToolChoice,
): AgentsRequest {
  if (extra.length === 0) return request;
  const { input, modelSettings } = request;
  const before = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  const toolChoice = typeof choice === 'string' ? choice : choice.name;
  let place = 0;
  const after = extra.flatMap((message) =>
    message.role === 'assistant'
      ? itemsFor(message, responses[place++]?.output ?? [])
      : toItems(message),
  );
  return {
    ...request,
    input: [...before, ...after],
    modelSettings: { ...modelSettings, toolChoice },
  };
}

/** What a model wrote, as the guard reads it. */
export function replyOf({ output, usage }: AgentsResponse): ModelReply {
  const said = output.filter(isMessage).flatMap((item) => itemsOf(item, 'content'));
  const text = said.map((part) => textOf(part, 'text') ?? '').join('');
  const thought = output
    .filter((item) => textOf(item, 'type') === 'reasoning')
    .flatMap((item) => [...itemsOf(item, 'content'), ...itemsOf(item, 'rawContent')])
    .map((part) => textOf(part, 'text') ?? '')
    .join('');
  const isIncomplete = output.some((item) => textOf(item, 'status') === 'incomplete');
  return {
    content: text === '' ? null : text,
    reasoning: thought === '' ? null : thought,
    tool_calls: output.filter(isCall).map((item) => ({
      id: textOf(item, 'callId') ?? '',
      name: textOf(item, 'name') ?? '',
      arguments: textOf(item, 'arguments') ?? '',
    })),
    finish_reason: isIncomplete ? 'length' : 'unknown',
    usage: { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens },
    provider_model: null,
  };
}

/** The response that the runner sees for a turn: the last one as it came, or with what the guard changed. */
export function guardedResponse<Response extends AgentsResponse>(
  turn: GuardedTurn,
  last: Response,
): Response {
  const reply = replyOf(last);
  const isUnchanged =
    (turn.content ?? '') === (reply.content ?? '') &&
    turn.calls.length === reply.tool_calls.length &&
    turn.calls.every((call, index) => {
      const given = reply.tool_calls[index];
      return (
        given?.id === call.id && given.name === call.name && given.arguments === call.arguments
      );
    });
  if (isUnchanged) return last;
  return { ...last, output: withCalls(turn, last.output) };
}

/** The items of a message of the model in a later request: what the server knows of them stays with them. */
function itemsFor(
  { content, tool_calls: calls = [] }: Extract<ModelMessage, { readonly role: 'assistant' }>,
  output: readonly object[],
): readonly object[] {
  // Whatever else was called has no result yet.
  const given = output.filter(
    (item) => isMessage(item) || isCall(item) || SENT_BACK.has(textOf(item, 'type') ?? ''),
  );
  return withCalls({ content, calls }, given);
}

/** Items with other text or calls; a server may want a thought to be followed by the very item it came with. */
function withCalls(
  said: { readonly content: string | null; readonly calls: readonly ModelToolCall[] },
  given: readonly object[],
): object[] {
  const texts = given.filter(isMessage).flatMap((item) => itemsOf(item, 'content'));
  const isSaid = texts.map((part) => textOf(part, 'text') ?? '').join('') === (said.content ?? '');
  const kept = given.filter((item) => !isCall(item) && (isSaid || !isMessage(item)));
  const text = isSaid || said.content === null ? [] : [messageItem(said.content)];
  const calls = said.calls.map(({ id, name, arguments: args }) => {
    const written = given.find((item) => isCall(item) && textOf(item, 'callId') === id);
    return { ...written, ...callItem({ id, name, args }) };
  });
  return [...kept, ...text, ...calls];
}

/** The sum of two counts of tokens; a count that can add another one keeps its kind. */
export function addUsage<Usage extends AgentsUsage>(sum: Usage, more: AgentsUsage): Usage {
  const add: unknown = Reflect.get(sum, 'add');
  if (typeof add === 'function') {
    Reflect.apply(add, sum, [more]);
    return sum;
  }
  const fields = Object.entries(more).filter(([, value]) => typeof value === 'number');
  const sums = fields.map(([name, value]) => {
    const before: unknown = Reflect.get(sum, name);
    return [name, (typeof before === 'number' ? before : 0) + Number(value)];
  });
  return { ...sum, ...Object.fromEntries(sums) };
}

function isMessage(item: object): boolean {
  return textOf(item, 'role') === 'assistant';
}

function isCall(item: object): boolean {
  return textOf(item, 'type') === 'function_call';
}

function toItems(
  message: Exclude<ModelMessage, { readonly role: 'assistant' }>,
): readonly object[] {
  switch (message.role) {
    case 'tool': {
      const { tool_call_id: callId, name, content } = message;
      const output = { type: 'text', text: content };
      return [{ type: 'function_call_result', callId, name, status: 'completed', output }];
    }
    case 'system':
    case 'user':
      return [{ role: message.role, content: message.content }];
    default:
      return unreachable(message, 'message');
  }
}

function messageItem(text: string): object {
  const content = [{ type: 'output_text', text }];
  return { type: 'message', role: 'assistant', status: 'completed', content };
}

function callItem(call: {
  readonly id: string;
  readonly name: string;
  readonly args: string;
}): object {
  const { id: callId, name, args } = call;
  return { type: 'function_call', callId, name, arguments: args, status: 'completed' };
}

/** Thoughts, and what the server called itself. */
const SENT_BACK: ReadonlySet<string> = new Set(['reasoning', 'hosted_tool_call']);
