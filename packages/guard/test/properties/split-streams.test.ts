import { defaultPolicy, initialGuardState, inspectReply, toGuardTool } from '@millforge/guard';
import { chatReply, createChatCollector } from '@millforge/guard/openai-chat';
import { createTextRelease } from '@millforge/guard/rescue';
import { expect, test } from 'vitest';
import { DIALECTS, UNQUOTED } from './dialects.ts';

const TOOLS = [
  toGuardTool({
    name: 'write',
    schema: {
      type: 'object',
      additionalProperties: false,
      properties: {
        path: { type: 'string' },
        content: { type: 'string' },
        line: { type: 'integer' },
      },
      required: ['path', 'content', 'line'],
    },
  }),
];
const MEANT = { path: 'ä/🙂.md', content: 'naïve “text”\n中文', line: 7 };

/** A text in two pieces, cut at a byte of its UTF-8 and decoded as a client decodes a stream. */
function* splits(text: string): Generator<readonly [string, string]> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at <= bytes.length; at++) {
    const decoder = new TextDecoder();
    const first = decoder.decode(bytes.subarray(0, at), { stream: true });
    yield [first, first + decoder.decode(bytes.subarray(at))];
  }
}

function decide(reply: ReturnType<typeof chatReply>) {
  return inspectReply(reply, { tools: TOOLS, policy: defaultPolicy, state: initialGuardState })
    .decision;
}

test.each(Object.entries({ ...DIALECTS, ...UNQUOTED }))(
  'a stream in the dialect %s comes to the same decision, wherever it is split',
  (_name, write) => {
    const content = `I will write it.\n${write(MEANT)}`;
    const whole = decide(chatReply({ choices: [{ message: { content }, finish_reason: 'stop' }] }));
    expect(whole.kind).toBe('calls');
    for (const [first, all] of splits(content)) {
      const collector = createChatCollector();
      const release = createTextRelease(TOOLS);
      let shown = '';
      for (const piece of [first, all.slice(first.length)]) {
        shown += release.push(collector.add({ choices: [{ delta: { content: piece } }] }));
      }
      collector.add({ choices: [{ delta: {}, finish_reason: 'stop' }] });
      expect(decide(collector.reply())).toEqual(whole);
      expect(`${whole.kind === 'calls' ? whole.content : ''}\n`.startsWith(shown)).toBe(true);
    }
  },
);

test('a streamed call comes to the same decision, wherever its arguments are split', () => {
  const args = JSON.stringify(MEANT);
  const call = { id: 'a', type: 'function', function: { name: 'write', arguments: args } };
  const whole = decide(
    chatReply({ choices: [{ message: { tool_calls: [call, { ...call, id: 'b' }] } }] }),
  );
  for (const [first, all] of splits(args)) {
    const collector = createChatCollector();
    const delta = (index: number, fn: object, id?: string) =>
      collector.add({ choices: [{ delta: { tool_calls: [{ index, id, function: fn }] } }] });
    delta(0, { name: 'write', arguments: '' }, 'a');
    delta(1, { name: 'write', arguments: first }, 'b');
    delta(0, { arguments: first });
    delta(1, { arguments: all.slice(first.length) });
    delta(0, { name: 'write', arguments: all.slice(first.length) });
    expect(decide(collector.reply())).toEqual(whole);
  }
});
