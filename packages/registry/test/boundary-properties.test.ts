import {
  type JsonValue,
  MillforgeError,
  type Tool,
  type ToolErrorCode,
  type ToolRefusal,
  type ToolResult,
  unreachable,
} from '@millforge/contracts';
import type { ExecutedCall, RefusedCall } from '@millforge/registry';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { executorWorld, toolOf } from './executor-world.ts';

// MILLFORGE_BOUNDARY_CALLS=100000 makes as many calls; a run of the suite makes a share.
const CALLS = Number(process.env['MILLFORGE_BOUNDARY_CALLS'] ?? 2000);

const SECRETS = [
  'hunter2-hunter2',
  'sk-proj-abcDEF0123456789abcDEF0123456789',
  'AKIAIOSFODNN7EXAMPLE',
];
const FOLDERS = ['/srv/site', '/home/ada'];
const PLANTED = [
  ...SECRETS,
  `password=${'Zx9'.repeat(4)}`,
  ...FOLDERS,
  ...FOLDERS.map((folder) => `${folder}/.ssh/id_ed25519`),
];
const LEAKS = [...SECRETS, 'Zx9Zx9Zx9Zx9', ...FOLDERS];

/** What the tool of a generated call does at each stage. */
interface Behaviour {
  readonly check: 'pass' | 'refuse' | 'throw';
  readonly prepare: 'pass' | 'refuse' | 'throw' | 'nothing';
  readonly run: 'done' | 'silent' | 'misfit' | 'failed' | 'throw' | 'nothing' | 'artifact';
  readonly said: string;
  readonly data: JsonValue;
  readonly code: ToolErrorCode;
}

const planted = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...PLANTED) },
  fc.string({ unit: 'grapheme', maxLength: 12 }),
);
const said = fc
  .array(planted, { maxLength: 4 })
  .chain((parts) => fc.constantFrom(' ', ': ', '\n', '", "').map((between) => parts.join(between)));
const behaviour = fc.record<Behaviour>({
  check: fc.constantFrom('pass', 'pass', 'pass', 'refuse', 'throw'),
  prepare: fc.constantFrom('pass', 'pass', 'pass', 'refuse', 'throw', 'nothing'),
  run: fc.constantFrom('done', 'silent', 'misfit', 'failed', 'throw', 'nothing', 'artifact'),
  said,
  data: fc.oneof(said, fc.array(said, { maxLength: 3 }), fc.record({ note: said, more: said })),
  code: fc.constantFrom('not_found', 'timeout', 'cancelled', 'io_error', 'implementation_error'),
});
const call = fc.record({
  name: fc.oneof({ weight: 8, arbitrary: fc.constant('lookup') }, planted),
  arguments: fc.oneof(
    { weight: 8, arbitrary: fc.record({ key: said }) },
    fc.dictionary(planted, fc.oneof(said, fc.integer()), { maxKeys: 3 }),
    fc.anything(),
  ),
});

test('every call leaves exactly one record, frozen, that names no planted secret and no folder of the host', async () => {
  let current: Behaviour | null = null;
  const world = executorWorld([toolUnder(() => current)], {
    hostFolders: new Map([['/home/ada', '~']]),
  });
  let [calls, records, performed] = [0, 0, 0];
  await fc.assert(
    fc.asyncProperty(call, behaviour, async (asked, behaves) => {
      current = behaves;
      calls += 1;
      const end = await perform(world, asked);
      records += end.trace.kind === 'tool_trace' ? 1 : 0;
      performed += end.trace.started_at === null ? 0 : 1;
      expect(end.trace.status).toBe(end.outcome.status);
      expect(end.trace.error_code).toBe(end.outcome.error_code);
      expect(end.outcome.text.trim()).not.toBe('');
      expect(isFrozen(end.outcome) && isFrozen(end.trace)).toBe(true);
      const seen = JSON.stringify([end.outcome, end.trace]);
      for (const leak of LEAKS) expect(seen).not.toContain(leak);
    }),
    { numRuns: CALLS, seed: 2026, endOnFailure: true },
  );
  expect([calls, records]).toEqual([CALLS, CALLS]);
  // The property says little if most calls end at the first check.
  expect(performed / calls).toBeGreaterThan(0.15);
});

/** Whether a value cannot be changed anywhere in it. */
function isFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozen);
}

async function perform(
  { executor, context }: ReturnType<typeof executorWorld>,
  asked: { readonly name: string; readonly arguments: unknown },
): Promise<Pick<ExecutedCall | RefusedCall, 'outcome' | 'trace'>> {
  const checked = executor.check({ callId: 'call-1', ...asked }, context);
  if (checked.kind === 'refused') return checked;
  const { signal } = new AbortController();
  const prepared = await checked.prepare({ signal });
  if (prepared.kind === 'refused') return prepared;
  await using held = prepared;
  return await held.run({ signal, idempotencyKey: 'k' });
}

/** A tool that does what the current behaviour says; whatever it says, it says with something planted. */
function toolUnder(current: () => Behaviour | null): Tool {
  const now = (): Behaviour => {
    const behaves = current();
    if (behaves === null) throw new Error('There is no behaviour.');
    return behaves;
  };
  const refusal = (): ToolRefusal => ({ kind: 'refused', code: now().code, message: now().said });
  return toolOf({
    output: {
      type: 'object',
      properties: {
        text: { type: 'string' },
        list: { type: 'array', items: { type: 'string' } },
        entry: {
          type: 'object',
          properties: { note: { type: 'string' }, more: { type: 'string' } },
        },
      },
    },
    maxOutputBytes: 400,
    maxTextBytes: 200,
    check() {
      if (now().check === 'throw') throw new Error(now().said);
      return now().check === 'refuse' ? refusal() : null;
    },
    async prepare() {
      if (now().prepare === 'throw') throw new TypeError(now().said);
      if (now().prepare === 'refuse') return refusal();
      const prepared = { kind: 'prepared', before: null, run: async () => act(now()) } as const;
      // Code without types can give anything back.
      return now().prepare === 'nothing' ? JSON.parse('null') : prepared;
    },
  });
}

function act({ run, said: text, data, code }: Behaviour): ToolResult {
  const name = typeof data === 'string' ? 'text' : Array.isArray(data) ? 'list' : 'entry';
  switch (run) {
    case 'done':
      return { kind: 'done', text, data: { [name]: data } };
    case 'silent':
      return { kind: 'done', data: { [name]: data } };
    case 'misfit':
      return { kind: 'done', text, data: { [text]: data } };
    case 'artifact':
      return { kind: 'done', text, artifactIds: [text] };
    case 'failed':
      return { kind: 'failed', code, text, data: { detail: data } };
    case 'throw':
      throw new MillforgeError('test/thrown', text);
    case 'nothing':
      return JSON.parse('null');
    default:
      return unreachable(run, 'way to run');
  }
}
