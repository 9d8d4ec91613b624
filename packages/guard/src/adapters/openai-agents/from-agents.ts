import { type ModelMessage, type ModelReply, unreachable } from '@millforge/contracts';
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

/** A request that goes on after these messages, with a choice that may be narrower. */
export function extended(
  request: AgentsRequest,
  extra: readonly ModelMessage[],
  choice: ToolChoice,
): AgentsRequest {
  if (extra.length === 0) return request;
  const { input, modelSettings } = request;
  const before = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  const toolChoice = typeof choice === 'string' ? choice : choice.name;
  return {
    ...request,
    input: [...before, ...extra.flatMap(toItems)],
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
  const kept = last.output.filter((item) => !isMessage(item) && !isCall(item));
  const text = turn.content === null ? [] : [messageItem(turn.content)];
  const calls = turn.calls.map(({ id, name, arguments: args }) => {
    const given = last.output.find((item) => isCall(item) && textOf(item, 'callId') === id);
    return { ...given, ...callItem({ id, name, args }) };
  });
  return { ...last, output: [...kept, ...text, ...calls] };
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

function toItems(message: ModelMessage): readonly object[] {
  switch (message.role) {
    case 'assistant': {
      const calls = (message.tool_calls ?? []).map(({ id, name, arguments: args }) =>
        callItem({ id, name, args }),
      );
      return message.content === null ? calls : [messageItem(message.content), ...calls];
    }
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
