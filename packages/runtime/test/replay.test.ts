import type {
  JsonValue,
  ModelMessage,
  Operation,
  OperationLog,
  RunOutcome,
} from '@millforge/contracts';
import {
  manualClock,
  memoryTrail,
  sequentialIds,
  type TrailEntry,
} from '@millforge/contracts/testing';
import { memoryOperationLog, type RunEvent, runPlan } from '@millforge/runtime';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildPlan } from './support/builder-plan.ts';
import { runOptions, type Scripted, scriptedClient } from './support/scripted-run.ts';

const BUILT = buildPlan(
  [
    { id: 'read' },
    { id: 'write', after: [{ node: 'read', same: 'path' }], produces: ['note'] },
    { id: 'check', required: true },
    { id: 'break', tool: { run: () => Promise.reject(new Error('broken')) } },
    { id: 'miss', tool: { run: async () => ({ kind: 'failed', code: 'conflict', text: 'No.' }) } },
    { id: 'submit', terminal: 'COMPLETE' },
    { id: 'block', terminal: 'BLOCKED' },
  ],
  { artifacts: { COMPLETE: ['note'] }, budgets: { max_iterations: 8 } },
);

const names = fc.constantFrom(
  'read',
  'write',
  'check',
  'break',
  'miss',
  'submit',
  'block',
  'Read File',
  '',
  'x'.repeat(300),
);
const args = fc.constantFrom(
  '{}',
  '',
  '{"path":"a"}',
  '{"path":"b"}',
  '{"path":null}',
  '{"path":7}',
  '{"summary":"Done."}',
  '{"summary":"Done.","terminal_result":"COMPLETE"}',
  '[]',
  'null',
  '{"path":"a',
  '"{\\"path\\":\\"a\\"}"',
);
const ids = fc.constantFrom('call_0', 'call_1', '', 'x');
const reply: fc.Arbitrary<Scripted> = fc.record({
  content: fc.constantFrom(null, '', 'I will read it.'),
  reasoning: fc.constantFrom(null, 'Hm.'),
  tool_calls: fc.array(fc.record({ id: ids, name: names, arguments: args }), { maxLength: 4 }),
  finish_reason: fc.constantFrom('stop', 'tool_calls', 'length', 'unknown'),
  usage: fc.constantFrom(null, { input_tokens: 10, output_tokens: 2 }),
});

interface Pass {
  readonly outcome: RunOutcome;
  readonly asked: readonly (readonly [string, JsonValue])[];
  readonly entries: readonly TrailEntry[];
  readonly events: readonly RunEvent[];
  readonly requests: readonly (readonly ModelMessage[])[];
}

async function pass(log: OperationLog, script: readonly Scripted[]): Promise<Pass> {
  const clock = manualClock();
  const model = scriptedClient(script);
  const trail = memoryTrail();
  const asked: (readonly [string, JsonValue])[] = [];
  const events: RunEvent[] = [];
  const operations: OperationLog = {
    signal: log.signal,
    newId: (key) => log.newId(key),
    perform: (operation, act) => {
      asked.push([operation.key, whatIsAsked(operation)]);
      return log.perform(operation, act);
    },
  };
  const outcome = await runPlan(BUILT.reference, {
    ...runOptions(BUILT, { clock, model, operations }),
    trail,
    onEvent: (event) => events.push(event),
  });
  return {
    outcome,
    asked,
    entries: trail.entries,
    events,
    requests: model.requests.map((request) => request.messages),
  };
}

function whatIsAsked({ step, kind, effect, repeat, input, extends: base }: Operation): JsonValue {
  return { step, kind, effect, repeat, input, base: base ?? null };
}

test('every script ends, keeps the conversation well-formed, and replays without a live call', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(reply, { minLength: 1, maxLength: 8 }), async (script) => {
      const log = memoryOperationLog({ clock: manualClock(), ids: sequentialIds() });
      const live = await pass(log, script);
      expect(findFaults(live.requests)).toEqual([]);
      expect(live.outcome.turns).toBeLessThanOrEqual(8);

      const replayed = await pass(log.resume(), []);
      expect(replayed.requests).toEqual([]);
      expect(replayed.asked).toEqual(live.asked);
      expect(replayed.entries).toEqual(live.entries);
      expect(replayed.outcome).toEqual(live.outcome);
      expect(replayed.events.every((event) => event.replayed)).toBe(true);
      expect(replayed.events.map((event) => event.kind)).toEqual(
        live.events.map((event) => event.kind),
      );
    }),
    { numRuns: 100 },
  );
}, 60_000);

/** What an OpenAI-compatible server would refuse, over all requests of a run. */
function findFaults(requests: readonly (readonly ModelMessage[])[]): readonly string[] {
  const faults: string[] = [];
  requests.forEach((messages, turn) => {
    const previous = requests[turn - 1] ?? [];
    previous.forEach((message, index) => {
      if (message !== messages[index]) faults.push(`turn ${turn} changes message ${index}`);
    });
  });
  const last = requests.at(-1) ?? [];
  const seen = new Set<string>();
  let open: string[] = [];
  last.forEach((message, index) => {
    const before = last[index - 1]?.role;
    if ((index === 0) !== (message.role === 'system')) faults.push(`system at ${index}`);
    if (message.role === 'user' && before === 'user') faults.push(`two users at ${index}`);
    if (message.role === 'tool') {
      if (open.shift() !== message.tool_call_id) faults.push(`result out of order at ${index}`);
      if (message.content === '') faults.push(`empty result at ${index}`);
      return;
    }
    if (open.length > 0) faults.push(`unanswered calls before ${index}`);
    open = [];
    if (message.role !== 'assistant') return;
    if (before !== 'user' && before !== 'tool') faults.push(`assistant after ${before}`);
    if (message.content === null && message.tool_calls === undefined) faults.push(`void ${index}`);
    for (const call of message.tool_calls ?? []) {
      if (seen.has(call.id)) faults.push(`id ${call.id} twice`);
      if (!/^[A-Za-z0-9_-]{1,64}$/.test(call.name)) faults.push(`name ${call.name}`);
      const value: unknown = JSON.parse(call.arguments);
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        faults.push(`arguments of ${call.id}`);
      }
      seen.add(call.id);
      open.push(call.id);
    }
  });
  if (open.length > 0) faults.push('the last calls are unanswered');
  return faults;
}
