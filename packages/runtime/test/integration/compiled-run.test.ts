import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { compileHarness, toModelProfileCatalog } from '@millforge/compiler';
import {
  type Clock,
  createRedactor,
  type Ids,
  type JsonObject,
  type ModelClient,
} from '@millforge/contracts';
import { memoryTrail, sequentialIds } from '@millforge/contracts/testing';
import {
  ALL_PERMISSIONS,
  type GoalContract,
  type GoalRun,
  openKernel,
  type Scope,
  type WorkAdapter,
} from '@millforge/kernel';
import { createModelClient } from '@millforge/models';
import { startScriptedServer } from '@millforge/models/testing';
import { piTools } from '@millforge/pi-tools';
import { createRegistry, createToolExecutor } from '@millforge/registry';
import { memoryOperationLog, type RunEvent, type RunOptions, runPlan } from '@millforge/runtime';
import { expect, onTestFinished, test } from 'vitest';

const CAPABILITIES = [
  'terminal.intent',
  'unrestricted.filesystem.read',
  'unrestricted.filesystem.write',
];

const HARNESS: JsonObject = {
  schema_version: '1.0',
  kind: 'millforge_harness',
  harness_id: 'test.mend',
  harness_version: 1,
  stage_scope: { stage_kind_ids: ['builder'] },
  model_profile_id: 'test.model',
  prompt: {
    policy_id: 'test.prompt',
    system_instructions: 'Mend the sum.',
    include_request_context: true,
  },
  budgets: {
    max_iterations: 12,
    max_validation_retries: 2,
    max_tool_errors: 2,
    max_prerequisite_violations: 2,
    max_premature_terminal_attempts: 2,
  },
  context: {
    strategy_id: 'forge.tiered.v1',
    budget_tokens: 8000,
    keep_recent_iterations: 2,
    phase_thresholds: [0.6, 0.8, 0.9],
  },
  graph: {
    nodes: {
      read: { tool_ref: 'builtin.pi_compat.read@1', required: true },
      edit: {
        tool_ref: 'builtin.pi_compat.edit@1',
        required: true,
        prerequisites: [
          {
            node_id: 'read',
            argument_matches: [{ prior_argument: 'path', current_argument: 'path' }],
          },
        ],
      },
      submit: {
        tool_ref: 'builtin.pi_compat.submit@1',
        terminal_result: 'COMPLETE',
        prerequisites: [{ node_id: 'edit' }],
      },
    },
  },
  artifacts: { declared_artifact_ids: [], required_by_terminal: {} },
};

const END = { terminal_result: 'COMPLETE', summary: 'The sum adds.' };
const REPLIES = [
  { content: 'I will look at the file first.' },
  { tool_calls: [{ name: 'submit', arguments: END }] },
  { tool_calls: [{ name: 'read', arguments: { path: 'sum.js' } }] },
  {
    tool_calls: [
      {
        name: 'edit',
        arguments: { path: 'sum.js', edits: [{ oldText: 'a - b', newText: 'a + b' }] },
      },
    ],
  },
  { tool_calls: [{ name: 'submit', arguments: END }] },
];

const clock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  delay: (ms, signal) => delay(ms, undefined, signal === undefined ? {} : { signal }),
};
const scope: Scope = {
  tenant: 'local',
  resource: 'tests',
  actor: 'ann@host',
  permissions: ALL_PERMISSIONS,
};

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'millforge-runtime-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A compiled harness, a workspace with a wrong sum, and a scripted server behind a real client. */
async function world() {
  const registry = createRegistry();
  registry.register(...piTools({ homeDirectory: '/nowhere' }));
  const snapshot = registry.freeze();
  const compiled = compileHarness(HARNESS, {
    catalog: snapshot,
    profiles: toModelProfileCatalog([{ profile_id: 'test.model' }]),
    request: { grants: CAPABILITIES },
  });
  if (!compiled.ok) throw new Error(compiled.diagnostics.map((one) => one.message).join('\n'));
  const workspace = temporaryFolder();
  await writeFile(join(workspace, 'sum.js'), 'export const sum = (a, b) => a - b;\n');
  const server = await startScriptedServer({ replies: REPLIES });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const redactor = createRedactor();
  const model: ModelClient = createModelClient({
    profile: { profile_id: 'test.model', base_url: server.url, model: 'scripted' },
    fetch,
    clock,
    random: () => 0.5,
  });
  const options = {
    task: 'Make the sum add.',
    runId: 'run_0001',
    workspace,
    grants: CAPABILITIES,
    executor: (plan) =>
      createToolExecutor({
        plan,
        snapshot,
        implementations: snapshot.implementations,
        clock,
        redactor,
      }),
    model,
    clock,
    redactor,
  } satisfies Partial<RunOptions>;
  return { compiled, workspace, server, options };
}

test('a compiled harness mends a file through real tools and real HTTP', async () => {
  const { compiled, workspace, server, options } = await world();
  const trail = memoryTrail();
  const outcome = await runPlan(compiled, {
    ...options,
    trail,
    operations: memoryOperationLog({ clock, ids: sequentialIds() }),
  });
  expect(outcome).toMatchObject({
    status: 'success',
    disposition: 'success',
    summary: 'The sum adds.',
    turns: 5,
    usage: { tool_calls: 3 },
  });
  expect(await readFile(join(workspace, 'sum.js'), 'utf8')).toContain('a + b');
  expect(server.requests).toHaveLength(5);
  expect(trail.entries.map((entry) => entry.type)).toEqual([
    'model-re-asked',
    'call-refused',
    'terminal-accepted',
  ]);
});

test('a durable run that is stopped goes on where it was, and edits once', async () => {
  const { compiled, workspace, server, options } = await world();
  const path = join(temporaryFolder(), 'trail.db');
  const ids: Ids = sequentialIds();
  const edits: RunEvent[] = [];
  const binding = { kind: 'model', name: 'run', version: '1', parameters: {} } as const;
  const current: GoalRun[] = [];

  const attempt = async (stopAfterEdit: boolean) => {
    const kernel = await openKernel({ path, clock, ids });
    const program: WorkAdapter = {
      ...binding,
      async run(context) {
        const outcome = await runPlan(compiled, {
          ...options,
          operations: context,
          trail: { append: (entry) => context.log(entry) },
          onEvent: (event) => {
            if (event.kind !== 'call-ended' || event.tool !== 'edit') return;
            edits.push(event);
            if (stopAfterEdit) current.at(-1)?.stop();
          },
        });
        return JSON.parse(JSON.stringify(outcome));
      },
    };
    if (stopAfterEdit) await kernel.admitGoal(scope, contract(binding));
    const run = kernel.runGoal(scope, 'goal', { adapters: [program] });
    current.push(run);
    const view = await run.done;
    await kernel[Symbol.asyncDispose]();
    return view;
  };

  expect((await attempt(true)).state).not.toBe('completed');
  const requests = server.requests.length;
  const view = await attempt(false);
  expect(view).toMatchObject({ state: 'completed' });
  expect(server.requests.length - requests).toBe(1);
  expect(edits.map((event) => event.replayed)).toEqual([false, true]);
  expect(await readFile(join(workspace, 'sum.js'), 'utf8')).toContain('a + b');
});

function contract(adapter: GoalContract['tasks'][number]['adapter']): GoalContract {
  return {
    kind: 'goal_contract',
    schema_version: '1.0',
    goal_id: 'goal',
    objective: 'Make the sum add.',
    inputs: {},
    required_checks: ['terminal-outcome'],
    legal_terminal_results: ['COMPLETE'],
    tasks: [{ task_id: 'run', adapter, doubt: 'operation', effect: 'external' }],
  };
}
