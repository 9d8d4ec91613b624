import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import {
  SIDE_EFFECT_CLASSES,
  type SideEffectClass,
  TOOL_ORIGINS,
  type Tool,
  type ToolOrigin,
} from '@millforge/contracts';
import type { CallContext } from '@millforge/registry';
import { describe, expect, test } from 'vitest';
import { DONE, executorWorld, toolOf } from './executor-world.ts';

/** Everything that a run can dispatch: tools of every origin with every effect, terminals among them. */
const KINDS = TOOL_ORIGINS.flatMap((origin) =>
  SIDE_EFFECT_CLASSES.map((effect) => [origin, effect] as const),
);

const PREFIX: { readonly [Origin in ToolOrigin]: string } = {
  builtin: 'builtin.test.',
  pi: 'builtin.pi_compat.test.',
  connector: 'connector.test.',
  custom: 'test.',
  forged: 'forged.test.',
};

/** What closes the gate, and the refusal that it must give. */
const GATES: readonly (readonly [string, (context: CallContext) => CallContext, string])[] = [
  [
    'a capability that was not granted',
    (context) => ({ ...context, grants: [] }),
    'capability_denied',
  ],
  [
    'constraints that the tool does not speak of',
    (context) => ({
      ...context,
      grants: [{ capabilityId: 'test.use', constraints: { hosts: ['a.example'] } }],
    }),
    'capability_denied',
  ],
  [
    'a prerequisite that was not met',
    (context) => ({ ...context, prerequisites: [{ node_id: 'before', satisfied: false }] }),
    'prerequisite_denied',
  ],
];

describe.each(KINDS)('a tool of origin %s with effect %s', (origin, effect) => {
  test('reaches its code only through the gate', async () => {
    const { world, stages } = watched(origin, effect);
    const call = { name: 'lookup', callId: 'c', arguments: { key: 'a' } };
    const open = { ...world.context, prerequisites: [{ node_id: 'before', satisfied: true }] };
    for (const [gate, close, code] of GATES) {
      const refused = world.executor.check(call, close(open));
      expect([gate, refused.kind]).toEqual([gate, 'refused']);
      if (refused.kind === 'refused') expect(refused.outcome.error_code).toBe(code);
    }
    const unapproved = world.executor.check(call, open);
    if (unapproved.kind === 'refused' || unapproved.approval === null) {
      throw new Error('This call needs an approval.');
    }
    const { signal } = new AbortController();
    expect(await unapproved.prepare({ signal })).toMatchObject({
      outcome: { error_code: 'policy_denied' },
    });
    for (const [reason, code] of [
      [new DOMException('late', 'TimeoutError'), 'timeout'],
      [new Error('stop'), 'cancelled'],
    ] as const) {
      expect(await unapproved.prepare({ signal: AbortSignal.abort(reason) })).toMatchObject({
        outcome: { error_code: code },
      });
    }
    expect(stages).toEqual([]);
  });
});

test('no other code of any package dispatches a tool', () => {
  const dispatches = sources().flatMap(({ file, text }) =>
    [...text.matchAll(DISPATCH)].map(([found]) => `${file}: ${found}`),
  );
  expect(dispatches.toSorted()).toEqual([
    'registry/src/check-call.ts: implementation.check',
    'registry/src/constraint-refusal.ts: implementation.reach',
    'registry/src/live-call.ts: implementation.prepare',
    'registry/src/live-call.ts: implementation.reconcile',
  ]);
});

/** A call of a tool's code at any stage, by whatever way the tool was reached. */
const DISPATCH = /\bimplementation\??\.(?:check|reach|prepare|run|reconcile)\b(?=\??\.?\()/g;

function watched(origin: ToolOrigin, sideEffect: SideEffectClass) {
  const stages: string[] = [];
  const tool: Tool = {
    ...toolOf({
      id: `${PREFIX[origin]}lookup`,
      origin,
      sideEffect,
      capabilities: ['test.use'],
      approval: 'explicit',
      async prepare() {
        stages.push('prepare');
        return {
          kind: 'prepared',
          before: null,
          async run() {
            stages.push('run');
            return DONE;
          },
        };
      },
    }),
  };
  const needs = [{ node_id: 'before', argument_matches: [] }];
  const world = executorWorld([tool], {
    node: (node) => ({ ...node, prerequisites: needs }),
    approvals: { kind: 'approval_policy', schema_version: '1.0', rules: [], required: 'ask' },
  });
  return { world, stages };
}

function sources(): readonly { readonly file: string; readonly text: string }[] {
  const root = join(import.meta.dirname, '../..');
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => listing(join(root, name, 'src')))
    .map((path) => ({ file: relative(root, path), text: readFileSync(path, 'utf8') }));
}

function listing(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file));
}
