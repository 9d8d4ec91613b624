import type { ModelReply } from '@millforge/contracts';
import { defaultPolicy, initialGuardState, inspectReply, toGuardTool } from '@millforge/guard';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { DIALECTS, UNQUOTED } from './dialects.ts';

const RUNS = Number(process.env['MILLFORGE_GUARD_MUTATIONS'] ?? 20_000);

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
        tags: { type: 'array', items: { type: 'string' } },
        range: {
          type: 'object',
          properties: { from: { type: 'number' } },
          additionalProperties: false,
        },
      },
      required: ['path'],
    },
  }),
];

const BASE = { path: 'a.md', content: 'text', line: 7 };
const SEEDS = [
  JSON.stringify({ ...BASE, tags: ['x'], range: { from: 1.5 } }),
  ...Object.values({ ...DIALECTS, ...UNQUOTED }).map((write) => write(BASE)),
];

const FRAGMENTS = [
  '"__proto__": {"polluted": true},',
  '"constructor": {"prototype": {"polluted": true}},',
  '"path": "b",',
  'NaN',
  'Infinity',
  '-',
  '1e999',
  '123456789012345678901234567890',
  '\ud800',
  '\udfff',
  '\u0000',
  '{'.repeat(2000),
  '[['.repeat(2000),
  '"',
  '\\',
  '\\u',
  '<tool_call>',
  '</parameter>',
  '```',
  "'",
  ',,',
  ' '.repeat(3000),
  '\n'.repeat(3000),
];

type Mutation = (text: string) => string;
const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.nat().map((at) => (text: string) => text.slice(0, at % (text.length + 1))),
  fc.tuple(fc.nat(), fc.constantFrom(...FRAGMENTS)).map(([at, fragment]) => (text: string) => {
    const place = at % (text.length + 1);
    return text.slice(0, place) + fragment + text.slice(place);
  }),
  fc.tuple(fc.nat(), fc.nat(9)).map(([at, length]) => (text: string) => {
    const place = at % (text.length + 1);
    return text.slice(0, place) + text.slice(place + length);
  }),
  fc.constant((text: string) => text + text),
  fc.constant((text: string) => text.replaceAll('"', "'")),
  fc.string({ unit: 'binary', maxLength: 12 }).map((noise) => (text: string) => noise + text),
);

function replyWith(text: string, isCall: boolean): ModelReply {
  return {
    content: isCall ? null : text,
    reasoning: null,
    tool_calls: isCall ? [{ id: 'a', name: 'write', arguments: text }] : [],
    finish_reason: 'stop',
    usage: null,
    provider_model: null,
  };
}

function inspect(text: string, isCall: boolean) {
  const options = { tools: TOOLS, policy: defaultPolicy, state: initialGuardState };
  return inspectReply(replyWith(text, isCall), options).decision;
}

test('a mutated call is judged, whatever it has become', {
  tags: ['slow'],
  timeout: 600_000,
}, () => {
  const seed = fc.constantFrom(...SEEDS);
  fc.assert(
    fc.property(
      seed,
      fc.array(mutation, { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      (...given) => {
        const [text, mutations, isCall] = given;
        const mutated = mutations.reduce((one, mutate) => mutate(one), text);
        const decision = inspect(mutated, isCall);
        if (decision.kind !== 'calls') return;
        for (const call of decision.calls) {
          if (call.kind !== 'accepted') continue;
          expect(Object.keys(call.arguments).every((key) => KNOWN.has(key))).toBe(true);
          expect(Object.getPrototypeOf(call.arguments)).toBe(Object.prototype);
        }
      },
    ),
    { numRuns: RUNS },
  );
  expect(Reflect.get({}, 'polluted')).toBeUndefined();
});

const KNOWN = new Set(['path', 'content', 'line', 'tags', 'range']);

test.each([
  ['a string', (size: number) => JSON.stringify({ path: 'x'.repeat(size) })],
  ['escapes', (size: number) => `{"path":"${'\\n'.repeat(size / 2)}"}`],
  ['apostrophes', (size: number) => `{'path':'${"\\'".repeat(size / 2)}'}`],
  ['brackets', (size: number) => '['.repeat(size)],
  ['spaces', (size: number) => `{${' '.repeat(size)}`],
  ['prose', (size: number) => 'I will write (it) to [a] file. '.repeat(size / 31)],
  ['lines of JSON', (size: number) => '{"a": 1}\n'.repeat(size / 9)],
  ['open calls', (size: number) => 'write{"path": '.repeat(size / 14)],
  ['fences', (size: number) => '```json\n{"a": 1}\n```\n'.repeat(size / 21)],
  ['tags', (size: number) => '<tool_call> '.repeat(size / 12)],
  [
    'parameters',
    (size: number) => `<function=write>${'<parameter=path>x</parameter>'.repeat(size / 29)}`,
  ],
  ['names', (size: number) => 'w'.repeat(size)],
])('two megabytes of %s are judged', (_name, make) => {
  for (const isCall of [true, false]) {
    expect(inspect(make(2_000_000), isCall).kind).toMatch(/calls|text|re-ask/);
  }
});

test('ten megabytes in one string are judged', () => {
  const args = JSON.stringify({ path: `a"${'x'.repeat(10_000_000)}` });
  expect(inspect(args, true)).toMatchObject({ kind: 'calls', calls: [{ kind: 'accepted' }] });
  const text = `{"name": "write", "arguments": ${args}}`;
  expect(inspect(text, false)).toMatchObject({ kind: 'calls', calls: [{ kind: 'accepted' }] });
});
