import type { ModelMessage, ModelReply, ModelToolCall } from '@millforge/contracts';
import { defaultPolicy, guardTurn, toGuardTool } from '@millforge/guard';
import { mendHistory } from '@millforge/guard/messages';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

const RUNS = Number(process.env['MILLFORGE_GUARD_RUNS'] ?? 1500);

const TOOLS = [
  toGuardTool({
    name: 'read_note',
    schema: {
      type: 'object',
      additionalProperties: false,
      properties: { id: { type: 'integer' } },
      required: ['id'],
    },
  }),
  toGuardTool({ name: 'list_notes' }),
];

const call: fc.Arbitrary<ModelToolCall> = fc.record({
  id: fc.constantFrom('', 'a', 'b', 'c'),
  name: fc.constantFrom('read_note', 'readNote', 'list_notes', 'nothing', '', 'x'.repeat(100), 'ü'),
  arguments: fc.constantFrom(
    '{"id":7}',
    '{"id":"7"}',
    '{"id":"x"}',
    '{}',
    '',
    'null',
    '[1]',
    '{"id":',
    "{'id': 7}",
    '"{}"',
  ),
});

const reply: fc.Arbitrary<ModelReply> = fc.record({
  content: fc.constantFrom(
    null,
    '',
    'Hello.',
    'Let me list the notes.',
    '<think>Hm.</think>',
    '<tool_call>{"name": "read_note", "arguments": {"id": 7}}</tool_call>',
    '<tool_call>{"name": "read_note"',
    '{"name": "nothing", "arguments": {}}',
  ),
  reasoning: fc.constantFrom(null, 'Hm.'),
  tool_calls: fc.oneof(fc.constant([]), fc.array(call, { maxLength: 4 })),
  finish_reason: fc.constantFrom('stop', 'tool_calls', 'length', 'content_filter', 'unknown'),
  usage: fc.constant(null),
  provider_model: fc.constant(null),
});

/** What a strict server refuses in a conversation, or null. */
function faultOf(messages: readonly ModelMessage[]): string | null {
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      const [next] = open;
      if (next !== message.tool_call_id) return `a result for ${message.tool_call_id} out of order`;
      open = open.slice(1);
      continue;
    }
    if (open.length > 0) return `no result for ${open[0]}`;
    if (message.role !== 'assistant') continue;
    const calls = message.tool_calls ?? [];
    if (calls.length === 0 && (message.content ?? '').trim() === '') return 'an empty message';
    open = calls.map((one) => one.id);
    if (new Set(open).size < open.length) return 'an id that stands twice';
    for (const one of calls) {
      if (!/^[A-Za-z0-9_-]{1,64}$/.test(one.name)) return `the name ${one.name}`;
      if (one.id === '' || !isObjectText(one.arguments)) return 'no id, or no object';
    }
  }
  return open.length > 0 ? `no result for ${open[0]}` : null;
}

function isObjectText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

test('whatever a model replies, what goes back to it is a conversation that a server takes', async () => {
  const limits = fc.record({ validation_retries: fc.nat(3), tool_errors: fc.nat(3) });
  const mode = fc.constantFrom('auto' as const, 'strict' as const);
  await fc.assert(
    fc.asyncProperty(
      fc.array(reply, { minLength: 1, maxLength: 9 }),
      limits,
      mode,
      async (...given) => {
        const [replies, limit, how] = given;
        const policy = {
          ...defaultPolicy,
          mode: how,
          budgets: { ...defaultPolicy.budgets, ...limit },
        };
        let received = 0;
        const turn = await guardTurn(
          async (extra) => {
            expect(faultOf(extra)).toBeNull();
            received += 1;
            return replies[(received - 1) % replies.length] ?? fail();
          },
          { tools: TOOLS, policy },
        );
        // Two budgets may be used up in turn, and a usable call between forgives nothing inside a turn.
        expect(received).toBeLessThanOrEqual(
          (limit.validation_retries + 1) * (limit.tool_errors + 1),
        );
        expect(turn.asked).toHaveLength(received - 1);
        for (const one of turn.calls) {
          if (one.isChecked)
            expect(['{"id":7}', '{}']).toContain(one.arguments.replaceAll(' ', ''));
        }
        expect(new Set(turn.calls.map((one) => one.id)).size).toBe(turn.calls.length);
      },
    ),
    { numRuns: RUNS },
  );
});

function fail(): never {
  throw new Error('There is always a reply.');
}

const message: fc.Arbitrary<ModelMessage> = fc.oneof(
  fc.constant<ModelMessage>({ role: 'user', content: 'x' }),
  fc.record({
    role: fc.constant('assistant' as const),
    content: fc.constant('y'),
    tool_calls: fc.array(
      call.map((one) => ({ ...one, name: 'read_note' })),
      { maxLength: 3 },
    ),
  }),
  fc.record({
    role: fc.constant('tool' as const),
    tool_call_id: fc.constantFrom('', 'a', 'b', 'c'),
    name: fc.constant('read_note'),
    content: fc.constant('z'),
  }),
);

test('whatever a history holds, mended it is one that a server takes, and stays it', () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 12 }), (messages) => {
      const mended = mendHistory(messages);
      expect(faultOf(mended.messages)).toBeNull();
      expect(mendHistory(mended.messages).mends).toEqual([]);
      if (faultOf(messages) === null && mended.mends.length > 0) {
        // Only ids that repeat one of an earlier turn are more than a server asks for.
        expect(new Set(mended.mends.map((mend) => mend.kind))).toEqual(
          new Set(['call-id-repeated']),
        );
      }
    }),
    { numRuns: RUNS },
  );
});
