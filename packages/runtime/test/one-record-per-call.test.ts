import type { JsonValue, Operation } from '@millforge/contracts';
import { manualClock, sequentialIds } from '@millforge/contracts/testing';
import { memoryOperationLog } from '@millforge/runtime';
import { expect, test } from 'vitest';
import { buildPlan, type NodeSpec } from './support/builder-plan.ts';
import { runScript, type Scripted } from './support/scripted-run.ts';

const END = { id: 'submit', terminal: 'COMPLETE' };
const SUBMIT = [['submit', { summary: 'Done.' }]] as const;

// Everything that can be against a call, the executor's reasons and those of the run.
test.each<[string, readonly NodeSpec[], readonly Scripted[]]>([
  ['an unknown name', [{ id: 'read' }, END], [[['nothing']], SUBMIT]],
  ['arguments that do not fit', [{ id: 'read' }, END], [[['read', { path: 7 }]], SUBMIT]],
  ['arguments that are no JSON', [{ id: 'read' }, END], [[['read', '{"path":']], SUBMIT]],
  [
    'a prerequisite that was not met',
    [{ id: 'read' }, { id: 'edit', after: ['read'] }, END],
    [[['edit']], SUBMIT],
  ],
  [
    'a terminal too early, and a step beside it',
    [{ id: 'read', required: true }, END],
    [[['read'], ...SUBMIT], [['read']], SUBMIT],
  ],
  [
    'a tool that fails, and one that works',
    [
      {
        id: 'read',
        tool: { run: async () => ({ kind: 'failed', code: 'io_error', text: 'No.' }) },
      },
      END,
    ],
    [[['read'], ['read', { path: 'a' }]], SUBMIT],
  ],
  [
    'a call that nobody approves',
    [{ id: 'read', tool: { approval: 'explicit' } }, END],
    [[['read']], SUBMIT],
  ],
])('every call has one record: %s', async (_what, nodes, script) => {
  const records: string[] = [];
  const memory = memoryOperationLog({ clock: manualClock(), ids: sequentialIds() });
  const log: typeof memory = {
    ...memory,
    async perform(operation, act) {
      const outcome = await memory.perform(operation, act);
      if (operation.key.startsWith('tool/')) records.push(callOf(operation));
      return outcome;
    },
  };
  const built = buildPlan(nodes);
  const { outcome, model, trail } = await runScript(built, script, { log });
  expect(outcome.status).toBe('success');
  for (const { type, data } of trail.entries) {
    if (type === 'call-refused') records.push(tracedCall(data));
  }
  const asked = script
    .slice(0, model.requests.length)
    .flatMap((reply, turn) => callsOf(reply).map((_call, index) => `call_${turn + 1}_${index}`));
  expect(records.toSorted()).toEqual(asked.toSorted());
});

/** The call of an operation, by the place in its key. */
function callOf({ key }: Pick<Operation, 'key'>): string {
  return key.replace('tool/', 'call_').replace('/', '_');
}

/** The call that the trace of a refusal names; without a trace, nothing that counts. */
function tracedCall(data: JsonValue): string {
  const trace = fieldOf(data, 'trace');
  if (trace === null) return 'no record';
  expect(trace).toMatchObject({ status: 'not_executed', certainty: 'not_attempted' });
  const id = fieldOf(trace, 'call_id');
  return typeof id === 'string' ? id : 'no call';
}

function fieldOf(value: JsonValue, name: string): JsonValue {
  if (typeof value !== 'object' || value === null) return null;
  return new Map<string, JsonValue>(Object.entries(value)).get(name) ?? null;
}

function callsOf(reply: Scripted): readonly unknown[] {
  return Array.isArray(reply) ? reply : [];
}
