import type { JsonSchema, ModelMessage, ObjectSchema } from '@millforge/contracts';
import type { GuardTool } from '../guard-tool.ts';
import { exampleArguments } from './example-arguments.ts';

/**
 * Rewrites a conversation for a model without tools of its own: the tools stand in the system message, calls
 * are JSON text, results are user messages.
 *
 * Send the result without tools, and inspect the reply with the policy's `textCalls`. Past calls are written
 * as the model is asked to write them, so that they teach by example. A frozen message is rewritten once, so
 * that a turn costs the messages that are new.
 */
export function toPromptMessages(
  messages: readonly ModelMessage[],
  tools: readonly GuardTool[],
): readonly ModelMessage[] {
  if (tools.length === 0) return messages;
  const [first, ...others] = messages;
  if (first?.role !== 'system') {
    return [{ role: 'system', content: toolInstructions(tools) }, ...messages.map(rewritten)];
  }
  const known = SYSTEMS.get(first);
  if (known?.tools === tools) return [known.message, ...others.map(rewritten)];
  const content = `${first.content}\n\n${toolInstructions(tools)}`;
  const message: ModelMessage = { role: 'system', content };
  if (Object.isFrozen(first)) SYSTEMS.set(first, { tools, message });
  return [message, ...others.map(rewritten)];
}

function rewritten(message: ModelMessage): ModelMessage {
  const known = REWRITTEN.get(message);
  if (known !== undefined) return known;
  const prompt = toPromptMessage(message);
  if (Object.isFrozen(message)) REWRITTEN.set(message, prompt);
  return prompt;
}

/** What a model is told that has to write its calls as text. */
export function toolInstructions(tools: readonly GuardTool[]): string {
  const [first] = tools;
  const example = JSON.stringify({
    tool: first?.name ?? '',
    args: exampleArguments(first?.parameters ?? null) ?? {},
  });
  return [
    '# Tools',
    ...tools.map(describeTool),
    '# How to call a tool',
    'Reply with only one JSON object that has the keys "tool" and "args", and nothing before or behind it. For example:',
    example,
  ].join('\n\n');
}

function toPromptMessage(message: ModelMessage): ModelMessage {
  if (message.role === 'tool') {
    return { role: 'user', content: `Result of ${message.name}:\n${message.content}` };
  }
  if (message.role !== 'assistant' || (message.tool_calls ?? []).length === 0) return message;
  const calls = (message.tool_calls ?? []).map(
    (call) => `{"tool":${JSON.stringify(call.name)},"args":${argumentsText(call.arguments)}}`,
  );
  const said = message.content === null || message.content.trim() === '' ? [] : [message.content];
  return { role: 'assistant', content: [...said, ...calls].join('\n') };
}

/** Arguments that are no JSON stand as a text, so that the whole stays JSON. */
function argumentsText(text: string): string {
  if (text.trim() === '') return '{}';
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify(text);
  }
}

function describeTool({ name, description, parameters }: GuardTool): string {
  const lines =
    parameters !== null && 'properties' in parameters ? describeProperties(parameters, '') : [];
  return [
    `## ${name}`,
    description,
    ...(lines.length === 0
      ? [parameters === null ? 'It takes an object.' : 'It takes no arguments.']
      : lines),
  ].join('\n');
}

function describeProperties(schema: ObjectSchema, indent: string): readonly string[] {
  return Object.entries(schema.properties).flatMap(([name, property]) => {
    const need = schema.required.includes(name) ? 'required' : 'optional';
    const words = property.description === undefined ? '' : `: ${property.description}`;
    const line = `${indent}- \`${name}\` (${typeText(property)}, ${need})${words}`;
    const inner = 'items' in property ? property.items : property;
    return 'properties' in inner ? [line, ...describeProperties(inner, `${indent}  `)] : [line];
  });
}

function typeText(schema: JsonSchema): string {
  if ('const' in schema) return JSON.stringify(schema.const);
  if ('oneOf' in schema) return schema.oneOf.map(typeText).join(' | ');
  if ('anyOf' in schema) return schema.anyOf.map(typeText).join(' or ');
  if ('properties' in schema) return 'object';
  if ('items' in schema) return `array of ${typeText(schema.items)}`;
  if (schema.enum !== undefined) return schema.enum.map((one) => JSON.stringify(one)).join(' | ');
  return typeof schema.type === 'string' ? schema.type : schema.type.join(' or ');
}

const REWRITTEN = new WeakMap<ModelMessage, ModelMessage>();
/** System messages with the tools that were written behind them. */
const SYSTEMS = new WeakMap<
  ModelMessage,
  { readonly tools: readonly GuardTool[]; readonly message: ModelMessage }
>();
