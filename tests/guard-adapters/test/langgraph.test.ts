import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages';
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
import { type GuardPolicy, toGuardTool } from '@millforge/guard';
import { createGraphGuard, type GraphGuardRecord } from '@millforge/guard/langgraph';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { guardedGraph } from '../examples/langgraph.ts';

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  guard: Annotation<GraphGuardRecord | null>(),
});

async function run(replies: readonly AIMessage[], policy?: GuardPolicy) {
  const read: number[] = [];
  const asked: BaseMessage[][] = [];
  const readNote = tool(
    async ({ id }) => {
      read.push(id);
      if (id === 404) throw new Error('no such note');
      return `note ${id}`;
    },
    { name: 'read_note', description: 'Reads a note.', schema: z.object({ id: z.number().int() }) },
  );
  const guard = createGraphGuard({
    tools: [toGuardTool(readNote)],
    ...(policy === undefined ? {} : { policy }),
  });
  const left = [...replies];
  const graph = new StateGraph(State)
    .addNode('model', ({ messages }) => {
      asked.push([...messages]);
      return { messages: [left.shift() ?? new AIMessage('Nothing is left.')] };
    })
    .addNode('inspect', guard.node)
    .addNode('tools', new ToolNode([readNote]))
    .addEdge(START, 'model')
    .addEdge('model', 'inspect')
    .addConditionalEdges('inspect', guard.route, { tools: 'tools', model: 'model', end: END })
    .addEdge('tools', 'model')
    .compile({ checkpointer: new MemorySaver() });
  const outcome = await graph.invoke(
    { messages: [new HumanMessage('Read note 7.')] },
    { configurable: { thread_id: 't' } },
  );
  return { outcome, read, asked };
}

function call(name: string, args: Record<string, unknown>, id = 'a') {
  return { name, args, id, type: 'tool_call' as const };
}

test('the example of the guide answers, also where the call is text', async () => {
  const readNote = tool(async ({ id }) => `Note ${id}: buy milk.`, {
    name: 'read_note',
    description: 'Reads a note.',
    schema: z.object({ id: z.number().int() }),
  });
  const left = ['<tool_call>{"name": "read_note", "arguments": {"id": 7}}</tool_call>', 'Milk.'];
  const graph = guardedGraph(async () => new AIMessage(left.shift() ?? ''), [readNote]);
  const { messages } = await graph.invoke({ messages: [new HumanMessage('What do I need?')] });
  expect(messages.map((message) => message.content)).toEqual([
    'What do I need?',
    '',
    'Note 7: buy milk.',
    'Milk.',
  ]);
});

test('an answer passes as it came, with one request', async () => {
  const { outcome, asked } = await run([new AIMessage('Good morning!')]);
  expect(outcome.messages.at(-1)?.content).toBe('Good morning!');
  expect(asked).toHaveLength(1);
});

test('a call that was written as text is performed, and the message says so', async () => {
  const written =
    'I will open it.\n<tool_call>{"name": "read_note", "arguments": {"id": "7"}}</tool_call>';
  const { outcome, read } = await run([new AIMessage(written), new AIMessage('It says hello.')]);
  expect(read).toEqual([7]);
  const [, first, result] = outcome.messages;
  expect(first).toMatchObject({
    content: 'I will open it.',
    tool_calls: [{ name: 'read_note', args: { id: 7 } }],
  });
  expect(result).toMatchObject({ content: 'note 7' });
  expect(outcome.messages).toHaveLength(4);
});

test('a wrong call gets its result, its valid sibling is performed', async () => {
  const batch = [
    call('readNote', { id: 7 }),
    call('nothing', {}, 'b'),
    call('read_note', { id: 'x' }, 'c'),
  ];
  const { asked, read } = await run([
    new AIMessage({ content: '', tool_calls: batch }),
    new AIMessage('Done.'),
  ]);
  expect(read).toEqual([7]);
  const results = new Map(
    (asked[1] ?? []).map((message) => [Reflect.get(message, 'tool_call_id'), message.content]),
  );
  expect(results.get('a')).toBe('note 7');
  expect(results.get('b')).toContain('[not_found]');
  expect(results.get('c')).toContain('$.id must be integer');
});

test('arguments that the library could not parse are mended or told', async () => {
  const { read } = await run([
    new AIMessage({
      content: '',
      invalid_tool_calls: [
        { name: 'read_note', args: '{"id": 7,}', id: 'a', type: 'invalid_tool_call' },
      ],
    }),
    new AIMessage('Done.'),
  ]);
  expect(read).toEqual([7]);
});

test('an empty reply is asked again, and the last word is given back', async () => {
  const { asked, outcome } = await run([new AIMessage(''), new AIMessage('Here it is.')]);
  expect(asked[1]?.map((message) => message.type)).toEqual(['human', 'ai', 'human']);
  expect(outcome.messages.at(-1)?.content).toBe('Here it is.');
});

test('a strict guard ends where its budget does, and says which', async () => {
  const budgets = {
    validation_retries: 1,
    tool_errors: 1,
    prerequisite_violations: 1,
    premature_terminals: 1,
  };
  const strict: GuardPolicy = { mode: 'strict', budgets, terminals: [] };
  const text = await run([new AIMessage('Done.'), new AIMessage('Done.')], strict);
  expect(text.outcome.guard?.exhaustion?.budget).toBe('validation_retries');
  const failing = Array.from(
    { length: 3 },
    (_, turn) =>
      new AIMessage({ content: '', tool_calls: [call('read_note', { id: 404 }, `c${turn}`)] }),
  );
  const failed = await run(failing, strict);
  expect(failed.outcome.guard?.exhaustion?.budget).toBe('tool_errors');
  expect(failed.read).toEqual([404, 404]);
});
