import { AIMessage, type BaseMessage, HumanMessage, isAIMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import {
  Annotation,
  END,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { defaultPolicy, type GuardPolicy, toGuardTool } from '@millforge/guard';
import { createGraphGuard, type GraphGuardRecord } from '@millforge/guard/langgraph';
import { expect, test } from 'vitest';
import { z } from 'zod';

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  guard: Annotation<GraphGuardRecord | null>(),
});

/** A graph that goes on with one conversation as often as it is called. */
function conversation(replies: readonly AIMessage[], policy: GuardPolicy = defaultPolicy) {
  const read: number[] = [];
  const readNote = tool(
    async ({ id }) => {
      read.push(id);
      if (id === 404) throw new Error('no such note');
      return `note ${id}`;
    },
    { name: 'read_note', description: 'Reads a note.', schema: z.object({ id: z.number().int() }) },
  );
  const guard = createGraphGuard({ tools: [toGuardTool(readNote)], policy });
  const left = [...replies];
  const graph = new StateGraph(State)
    .addNode('model', ({ messages }) => {
      expect(problems(messages)).toEqual([]);
      return { messages: [left.shift() ?? new AIMessage('Nothing is left.')] };
    })
    .addNode('inspect', guard.node)
    .addNode('tools', new ToolNode([readNote]))
    .addEdge(START, 'model')
    .addEdge('model', 'inspect')
    .addConditionalEdges('inspect', guard.route, { tools: 'tools', model: 'model', end: END })
    .addEdge('tools', 'model')
    .compile({ checkpointer: new MemorySaver() });
  const say = async (text: string) => {
    const outcome = await graph.invoke(
      { messages: [new HumanMessage(text)] },
      { configurable: { thread_id: 't' } },
    );
    expect(problems(outcome.messages)).toEqual([]);
    return outcome;
  };
  return { say, read };
}

/** Why a server would refuse a conversation. */
function problems(messages: readonly BaseMessage[]): string[] {
  const found: string[] = [];
  const open = new Set<string>();
  const known = new Set<string>();
  for (const message of messages) {
    const answered = String(Reflect.get(message, 'tool_call_id'));
    if (message.type === 'tool') {
      if (!open.delete(answered)) found.push(`result of no open call ${answered}`);
      continue;
    }
    for (const id of open) found.push(`call without a result ${id}`);
    open.clear();
    for (const { id = '', name } of isAIMessage(message) ? (message.tool_calls ?? []) : []) {
      if (id === '' || known.has(id)) found.push(`id that is no new one ${id}`);
      if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) found.push(`illegal name ${name}`);
      known.add(id);
      open.add(id);
    }
  }
  return [...found, ...[...open].map((id) => `call without a result ${id}`)];
}

function call(name: string, args: Record<string, unknown>, id = 'a') {
  return { name, args, id, type: 'tool_call' as const };
}

function calls(...given: ReturnType<typeof call>[]): AIMessage {
  return new AIMessage({ content: '', tool_calls: given });
}

function unread(args: string, id = 'a'): AIMessage {
  const one = { name: 'open', args, id, type: 'invalid_tool_call' as const };
  return new AIMessage({ content: '', invalid_tool_calls: [one] });
}

const STRICT: GuardPolicy = {
  mode: 'strict',
  budgets: {
    validation_retries: 1,
    tool_errors: 1,
    prerequisite_violations: 1,
    premature_terminals: 1,
  },
  terminals: [],
};

test('a call with an id of an earlier turn is performed, too', async () => {
  const { say, read } = conversation([
    calls(call('read_note', { id: 1 }), call('read_note', { id: 2 }, 'b')),
    calls(call('read_note', { id: 3 }), call('read_note', { id: 4 }, 'b')),
    new AIMessage('Done.'),
  ]);
  await say('Read.');
  expect(new Set(read)).toEqual(new Set([1, 2, 3, 4]));
});

test('a message that nothing is wrong with stays as the model wrote it', async () => {
  const thought = { type: 'thinking', thinking: 'Hm.', signature: 's' };
  const use = { type: 'tool_use', id: 'a', name: 'read_note', input: { id: 7 } };
  const first = new AIMessage({
    content: [thought, { type: 'text', text: 'One moment.' }, use],
    tool_calls: [call('read_note', { id: 7 })],
    additional_kwargs: { reasoning_content: 'Hm.' },
  });
  const { say, read } = conversation([first, new AIMessage('Done.')]);
  const { messages } = await say('Read.');
  expect(read).toEqual([7]);
  expect(messages[1]).toBe(first);
});

test('where a call is mended, thoughts, tokens and what the client keeps stay with the message', async () => {
  const thought = { type: 'thinking', thinking: 'Hm.', signature: 's' };
  const use = { type: 'tool_use', id: 'a', name: 'readNote', input: { id: '7' } };
  const usage_metadata = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
  const given = new AIMessage({
    content: [thought, { type: 'text', text: 'One moment.' }, use],
    tool_calls: [call('readNote', { id: '7' })],
    additional_kwargs: { reasoning_content: 'Hm.', tool_calls: [] },
    response_metadata: { model: 'm' },
  });
  const first = Object.assign(given, { usage_metadata });
  const { say, read } = conversation([first, new AIMessage('Done.')]);
  const { messages } = await say('Read.');
  expect(read).toEqual([7]);
  expect(messages[1]).toMatchObject({
    content: [
      thought,
      { type: 'text', text: 'One moment.' },
      { ...use, name: 'read_note', input: { id: 7 } },
    ],
    tool_calls: [{ id: 'a', name: 'read_note', args: { id: 7 } }],
    usage_metadata,
    response_metadata: { model: 'm' },
  });
  expect(messages[1]?.additional_kwargs).toEqual({ reasoning_content: 'Hm.' });
});

test.each([
  ['failing tools', ['a', 'b', 'c'].map((id) => calls(call('read_note', { id: 404 }, id)))],
  ['unknown tools', [1, 2].map(() => calls(call('x', {}), call('x', {})))],
  ['unreadable calls', ['a', 'b'].map((id) => unread('{', id))],
  ['text', [1, 2].map(() => new AIMessage('Done.'))],
])('after a budget was ended by %s the conversation goes on, with a new budget', async (...row) => {
  const { say, read } = conversation(
    [...row[1], calls(call('read_note', { id: 7 }, 'z')), new AIMessage('Done.')],
    STRICT,
  );
  const ended = await say('Read.');
  expect(ended.guard).toMatchObject({ next: 'end', exhaustion: { limit: 1 } });
  await say('Once more.');
  expect(read.at(-1)).toBe(7);
});

test('a name that no server takes back stands in the conversation as one that it does', async () => {
  const { say } = conversation([
    calls(call('read the note! '.repeat(9), {})),
    new AIMessage('No.'),
  ]);
  const { messages } = await say('Read.');
  expect(messages.map((message) => message.type)).toEqual(['human', 'ai', 'tool', 'ai']);
});
