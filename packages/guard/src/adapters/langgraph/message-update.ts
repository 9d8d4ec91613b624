import type { JsonObject } from '@millforge/contracts';
import { itemsOf, objectOf, textOf } from '../read-field.ts';

/** A message in the form that LangGraph turns into its own. */
export type MessageUpdate =
  | {
      readonly role: 'assistant';
      readonly id?: string;
      /** Text; a list where the model's message had one, with everything in it that is neither text nor call. */
      readonly content: string | ContentBlock[];
      readonly tool_calls?: ToolCallUpdate[];
      /** As the model's message had it. */
      readonly name?: string;
      /** As the model's message had it, but for the calls. */
      readonly additional_kwargs?: { [key: string]: unknown };
      /** As the model's message had it. */
      readonly response_metadata?: { [key: string]: unknown };
      /** As the model's message had it. */
      readonly usage_metadata?: object;
    }
  | { readonly role: 'user'; readonly content: string }
  | {
      readonly role: 'tool';
      readonly tool_call_id: string;
      readonly name: string;
      readonly content: string;
      readonly status: 'error';
    };

/** A part of a message that is more than text. */
export interface ContentBlock {
  /** Tells parts apart. */
  readonly type: string;
  /** Whatever the client of the model keeps in it. */
  readonly [field: string]: unknown;
}

/** A call as a message of LangChain has it. */
export interface ToolCallUpdate {
  /** Pairs it with its result. */
  readonly id: string;
  /** Name of the tool. */
  readonly name: string;
  /** Arguments. */
  readonly args: JsonObject;
  /** As LangChain wants it. */
  readonly type: 'tool_call';
}

/**
 * The message that takes the place of the model's, with other text or calls and everything else that it had.
 *
 * Thoughts with their signatures stay, which some servers want back, and so do tokens and whatever the client of
 * the model keeps beside.
 */
export function replacement(
  last: object,
  said: { readonly content: string; readonly calls?: readonly ToolCallUpdate[] },
): MessageUpdate {
  const id = textOf(last, 'id');
  const name = textOf(last, 'name');
  const kwargs = objectOf(last, 'additional_kwargs');
  const response = objectOf(last, 'response_metadata');
  const usage = objectOf(last, 'usage_metadata');
  return {
    role: 'assistant',
    ...(id === null ? {} : { id }),
    ...(name === null ? {} : { name }),
    content: contentOf(last, said),
    ...(said.calls === undefined ? {} : { tool_calls: [...said.calls] }),
    ...(kwargs === null ? {} : { additional_kwargs: withoutCalls(kwargs) }),
    ...(response === null ? {} : { response_metadata: { ...response } }),
    ...(usage === null ? {} : { usage_metadata: usage }),
  };
}

/** The calls stand there once more, as the server wrote them. */
function withoutCalls(kwargs: object): { [key: string]: unknown } {
  const rest = Object.entries(kwargs).filter(([key]) => !CALL_FIELDS.has(key));
  return Object.fromEntries(rest);
}

function contentOf(
  last: object,
  { content, calls = [] }: { readonly content: string; readonly calls?: readonly ToolCallUpdate[] },
): string | ContentBlock[] {
  const given = itemsOf(last, 'content');
  const types = new Set(given.map((block) => textOf(block, 'type') ?? ''));
  const kept = given.flatMap((block) => {
    const type = textOf(block, 'type') ?? 'text';
    return type === 'text' || CALL_BLOCKS.has(type) ? [] : [{ ...block, type }];
  });
  const [written] = [...types].filter((type) => CALL_BLOCKS.has(type));
  if (kept.length === 0 && written === undefined) return content;
  const text = content === '' ? [] : [{ type: 'text', text: content }];
  // A client that finds calls among the blocks looks for all of them there.
  const blocks = written === undefined ? [] : calls.map((call) => callBlock(call, written));
  return [...kept, ...text, ...blocks];
}

function callBlock({ id, name, args }: ToolCallUpdate, written: string): ContentBlock {
  const block = { id, name };
  return written === 'tool_use'
    ? { type: written, ...block, input: args }
    : { type: 'tool_call', ...block, args };
}

const CALL_FIELDS: ReadonlySet<string> = new Set(['tool_calls', 'function_call']);
const CALL_BLOCKS: ReadonlySet<string> = new Set([
  'tool_use',
  'tool_call',
  'tool_call_chunk',
  'invalid_tool_call',
  'input_json_delta',
]);
