import type { ModelClient, ModelRequest, OperationLog } from '@millforge/contracts';
import { manualClock, sequentialIds } from '@millforge/contracts/testing';
import { memoryOperationLog } from '@millforge/runtime';
import { expect, test } from 'vitest';
import { buildPlan } from './support/builder-plan.ts';
import { runScript, scriptedClient } from './support/scripted-run.ts';

test('what a run records of replies and calls is frozen to its leaves', async () => {
  const values: unknown[] = [];
  const { outcome } = await runScript(
    buildPlan([{ id: 'read' }, { id: 'submit', terminal: 'COMPLETE' }]),
    [
      {
        content: 'First.',
        reasoning: 'Hm.',
        continuation: 'more',
        usage: USAGE,
        tool_calls: CALLS,
      },
      [['submit', { summary: 'Done.' }]],
    ],
    { operations: noting(values) },
  );
  expect(outcome.status).toBe('success');
  expect(values).toHaveLength(5);
  for (const value of values) expect(isFrozen(value)).toBe(true);
});

test('what a client does to its reply after it was read changes nothing of what is recorded', async () => {
  const values: unknown[] = [];
  const calls = structuredClone(CALLS);
  const reply = { ...REPLY, usage: { ...USAGE }, tool_calls: calls };
  const { outcome } = await runScript(PLAN, [], {
    operations: noting(values),
    model: {
      async complete() {
        if (values.length === 0) return { kind: 'reply', reply, attempts: 1 };
        for (const call of calls) call.arguments = '{"path":"changed"}';
        Object.assign(reply, { content: 'Changed.', tool_calls: [SUBMIT] });
        reply.usage.input_tokens = Number.NaN;
        return { kind: 'reply', reply: { ...REPLY, tool_calls: [SUBMIT] }, attempts: 1 };
      },
    },
  });
  expect(outcome).toMatchObject({ status: 'success', usage: { input_tokens: 10 } });
  expect(values[0]).toEqual({ reply: { ...REPLY, usage: USAGE, tool_calls: CALLS }, attempts: 1 });
});

test.each<[string, (messages: unknown[]) => unknown]>([
  ['appends to', (messages) => messages.push({ role: 'user', content: 'More.' })],
  ['takes away from', (messages) => messages.pop()],
  ['begins', (messages) => messages.unshift({ role: 'system', content: 'Mine.' })],
])('a client that %s the list of its request changes no other request', async (_, change) => {
  for (const capabilities of [{}, { tool_calls: 'unsupported' as const }]) {
    const sizes: number[] = [];
    const script = scriptedClient([[['read', { path: 'a' }]], [['read', { path: 'b' }]], [END]]);
    const { outcome } = await runScript(PLAN, [], {
      model: Object.assign(scriptedClient([]), {
        capabilities: { ...UNKNOWN, ...capabilities },
        async complete(...[request, options]: Parameters<ModelClient['complete']>) {
          sizes.push(request.messages.length);
          const given = await script.complete({ ...request }, options);
          if (Array.isArray(request.messages)) change(request.messages);
          return given;
        },
      }),
    });
    expect(outcome.status).toBe('success');
    expect(sizes).toEqual([2, 4, 6]);
  }
});

test('a client that keeps its requests finds in each what it was sent, and in a copy too', async () => {
  const kept: ModelRequest[] = [];
  const script = scriptedClient([[['read', { path: 'a' }]], [['read', { path: 'b' }]], [END]]);
  await runScript(PLAN, [], {
    model: {
      async complete(request, options) {
        kept.push(request);
        return await script.complete(request, options);
      },
    },
  });
  for (const requests of [kept, kept.map((request) => ({ ...request }))]) {
    expect(requests.map(({ messages }) => messages.length)).toEqual([2, 4, 6]);
  }
});

/** Another value with every look at it; what is none of the contract from the second on. */
function changing(first: unknown): PropertyDescriptor {
  let looks = 0;
  return { enumerable: true, get: () => (looks++ === 0 ? first : { looks }) };
}

/** A list that gives something else to those who map it. */
class Own extends Array<unknown> {
  override map(): never[] {
    return [];
  }
}

test.each([
  ['a reply that changes', () => mapped({ ...REPLY, tool_calls: CALLS })],
  ['calls that change', () => ({ ...REPLY, tool_calls: CALLS.map(mapped) })],
  ['usage that changes', () => ({ ...REPLY, tool_calls: CALLS, usage: mapped(USAGE) })],
  ['a list with methods of its own', () => ({ ...REPLY, tool_calls: Own.from(CALLS) })],
])('%s is recorded as it was looked at', async (_, make) => {
  const { values, outcome } = await runReplies([make(), { ...REPLY, tool_calls: [SUBMIT] }]);
  expect(outcome.status).toBe('success');
  expect(values[0]).toMatchObject({ reply: { content: null, tool_calls: CALLS } });
  expect(isFrozen(values[0])).toBe(true);
  expect(JSON.parse(JSON.stringify(values[0]))).toEqual(values[0]);
});

test.each([
  ['holes', () => ({ ...REPLY, tool_calls: Object.assign(Array(3), CALLS) })],
  ['a length of its own', () => ({ ...REPLY, tool_calls: longer(CALLS) })],
  ['a getter that throws', () => Object.defineProperty({ ...REPLY }, 'usage', THROWS)],
])('a reply with %s breaks the contract of clients', async (_, make) => {
  const { outcome } = await runReplies([make()]);
  expect(outcome.failure_message).toMatch(/^The model client broke its contract: /);
});

function mapped(fields: object): object {
  const descriptors = Object.entries(fields).map(([name, value]) => [name, changing(value)]);
  return Object.defineProperties({}, Object.fromEntries(descriptors));
}

function longer(list: readonly unknown[]): unknown {
  return new Proxy(list, {
    get: (target, name) => (name === 'length' ? list.length + 1 : Reflect.get(target, name)),
  });
}

/** Runs on replies of a client in plain JavaScript. */
async function runReplies(replies: readonly unknown[]) {
  const values: unknown[] = [];
  let turn = 0;
  const complete = async () => ({ kind: 'reply', reply: replies[turn++], attempts: 1 });
  const { outcome } = await runScript(PLAN, [], {
    operations: noting(values),
    model: Object.assign(scriptedClient([]), { complete }),
  });
  return { values, outcome };
}

const PLAN = buildPlan([{ id: 'read' }, { id: 'submit', terminal: 'COMPLETE' }]);
const END = ['submit', { summary: 'Done.' }] as const;
const UNKNOWN = {
  tool_calls: 'unknown',
  tool_choice: 'unknown',
  parallel_tool_calls: 'unknown',
  max_output_tokens: 'unknown',
  structured_output: 'unknown',
} as const;
const SUBMIT = { id: 'end', name: 'submit', arguments: '{"summary":"Done."}' };
const REPLY = {
  content: null,
  reasoning: null,
  tool_calls: [],
  finish_reason: 'stop',
  usage: null,
  provider_model: null,
} as const;
const THROWS: PropertyDescriptor = {
  get() {
    throw new Error('Not now.');
  },
};
const USAGE = { input_tokens: 10, output_tokens: 5, cost_micros: 3 };
const CALLS = ['a', 'b'].map((path, at) => ({
  id: `call_${at}`,
  name: 'read',
  arguments: JSON.stringify({ path }),
}));

/** A log that keeps what comes out of it. */
function noting(values: unknown[]): OperationLog {
  const log = memoryOperationLog({ clock: manualClock(), ids: sequentialIds() });
  return {
    ...log,
    async perform(operation, act) {
      const outcome = await log.perform(operation, act);
      if (outcome.kind === 'done') values.push(outcome.value);
      return outcome;
    },
  };
}

function isFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozen);
}
