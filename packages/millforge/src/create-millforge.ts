import { stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { type CompileResult, compileHarness } from '@millforge/compiler';
import { MillforgeError, type RunHold, type RunResult } from '@millforge/contracts';
import { type GoalRun, type GoalView, type Kernel, openKernel, type Scope } from '@millforge/kernel';
import { piTools } from '@millforge/pi-tools';
import { createRegistry } from '@millforge/registry';
import { memoryOperationLog } from '@millforge/runtime';
import { diagnose } from './diagnose.ts';
import { exportRun } from './export-run.ts';
import type { Millforge, RunHandle, RunRequest } from './millforge.ts';
import type { MillforgeOptions } from './millforge-options.ts';
import { type ModelSetting, openModel } from './model-setting.ts';
import { nodeClock } from './node-clock.ts';
import { nodeIds } from './node-ids.ts';
import { assertSupportedPlatform, defaultDataDir, processActor } from './platform.ts';
import { type RunParts, runAdapter, runOnLog, runRedactor } from './run-adapter.ts';
import { admitPlan, readRunInputs, runBinding, runContract } from './run-contract.ts';
import { toRunHold, toRunResult, toTransientResult } from './run-result.ts';

/**
 * Wires the parts of Millforge. Synchronous and free of effects: the trail is opened, and the SQLite
 * driver loaded, when the first method needs it.
 *
 * @throws `registry/…` for tools that cannot stand beside each other.
 */
export function createMillforge(options: MillforgeOptions = {}): Millforge {
  const clock = options.clock ?? nodeClock();
  const ids = options.ids ?? nodeIds();
  const env = options.env ?? process.env;
  const dataDir = options.dataDir === undefined ? defaultDataDir(env) : options.dataDir;
  const registry = createRegistry();
  registry.register(...(options.shippedTools ?? piTools()), ...(options.tools ?? []));
  const snapshot = registry.freeze();
  const trailPath = dataDir === null ? null : join(dataDir, 'trail.db');
  const scope: Scope = {
    tenant: 'local',
    resource: dataDir ?? 'memory',
    actor: options.actor ?? processActor(),
  };

  let opened: Promise<Kernel> | null = null;
  const kernel = (): Promise<Kernel> => {
    if (trailPath === null) {
      throw new MillforgeError(
        'millforge/no-trail',
        'This Millforge keeps nothing; give it a dataDir to resume, list or verify runs.',
      );
    }
    opened ??= openKernel({
      path: trailPath,
      clock,
      ids,
      ...(options.failpoint === undefined ? {} : { failpoint: options.failpoint }),
    });
    return opened;
  };

  const runParts = (
    runId: string,
    request: Omit<RunRequest, 'timeoutMs' | 'onAmbiguous'>,
  ): RunParts => {
    const redactor = runRedactor(keyOf(request.model, env));
    const fetch = options.fetch ?? globalThis.fetch;
    return {
      runId,
      plan: request.plan,
      task: request.task,
      workspace: request.workspace,
      grants: request.grants,
      model: openModel(request.model, { fetch, clock, env, redactor }),
      snapshot,
      clock,
      redactor,
      ...(request.onEvent === undefined ? {} : { onEvent: request.onEvent }),
    };
  };

  const readHolds = async (goal: GoalView): Promise<readonly RunHold[]> => {
    const open = goal.holds.filter((hold) => hold.state === 'open');
    return Promise.all(
      open.map(async (hold) =>
        toRunHold(
          hold,
          hold.operation_key === null
            ? null
            : await (await kernel()).readOperation(scope, goal.goal_id, {
                taskId: hold.task_id,
                key: hold.operation_key,
              }),
        ),
      ),
    );
  };

  const resultOf = async (goal: GoalView): Promise<RunResult> =>
    toRunResult(goal, { trailPath: trailPath ?? '', holds: await readHolds(goal) });

  const finish = async (run: GoalRun): Promise<RunResult> => {
    const goal = await run.done;
    const result = await resultOf(goal);
    if (dataDir !== null && (goal.state === 'completed' || goal.state === 'failed')) {
      const records = (await kernel()).readTrail(scope, goal.goal_id);
      await exportRun(join(dataDir, 'runs', goal.goal_id), result, records);
    }
    return result;
  };

  const handleOf = (runId: string, run: GoalRun): RunHandle => ({
    runId,
    result: finish(run),
    stop: (stopOptions) => {
      run.stop(stopOptions);
    },
    cancel: async (reason) => {
      await run.cancel(reason);
    },
  });

  return {
    catalog: snapshot,
    snapshot,
    trailPath,

    compile: (source, input): CompileResult => compileHarness(source, { ...input, catalog: snapshot }),

    async run(request) {
      assertSupportedPlatform(process.platform);
      const plan = admitPlan(request);
      await assertWorkspace(request.workspace);
      const runId = ids.newId('run');
      const parts = runParts(runId, request);
      if (trailPath === null) {
        return transientRun(parts, plan.budgets.max_iterations, request.timeoutMs);
      }
      const store = await kernel();
      const artifact = await store
        .artifacts(scope)
        .put(new TextEncoder().encode(request.plan.bytes), {
          mediaType: 'application/json',
          maxBytes: MAX_PLAN_BYTES,
        });
      const contract = runContract(runId, request, {
        plan,
        planArtifact: artifact.sha256,
        snapshot,
      });
      await store.admitGoal(scope, contract);
      const adapter = runAdapter(runBinding(plan, request.model, snapshot), parts);
      return handleOf(runId, store.runGoal(scope, runId, { adapters: [adapter] }));
    },

    async resume(runId, resumeOptions = {}) {
      assertSupportedPlatform(process.platform);
      const store = await kernel();
      const goal = await store.readGoal(scope, runId);
      const inputs = readRunInputs(goal.inputs);
      const bytes = await readWhole(store.artifacts(scope).open(inputs.planArtifact));
      const request = {
        plan: { bytes, sha256: inputs.planSha256 },
        task: inputs.task,
        workspace: inputs.workspace,
        grants: inputs.grants,
        model: inputs.model,
        ...(resumeOptions.onEvent === undefined ? {} : { onEvent: resumeOptions.onEvent }),
      };
      const plan = admitPlan(request);
      if (!ENDED.has(goal.state)) await assertWorkspace(request.workspace);
      const adapter = runAdapter(
        runBinding(plan, request.model, snapshot),
        runParts(runId, request),
      );
      const { onWaiting } = resumeOptions;
      const run = store.runGoal(scope, runId, {
        adapters: [adapter],
        ...(onWaiting === undefined
          ? {}
          : {
              onWaiting: (owner) => {
                onWaiting(`process ${owner.pid} on ${owner.host}, since ${owner.started_at}`);
              },
            }),
      });
      return handleOf(runId, run);
    },

    async decide(runId, decision) {
      const store = await kernel();
      const goal = await store.readGoal(scope, runId);
      const holds = await readHolds(goal);
      const hold = chooseHold(holds, decision.holdId, runId);
      const decided = await store.decide(scope, runId, {
        holdId: hold.hold_id,
        version: hold.version,
        decision: decision.decision,
        reason: decision.reason,
        ...(decision.decision === 'accept'
          ? { outcome: decision.outcome ?? hold.outcome_template }
          : {}),
      });
      return resultOf(decided);
    },

    async listRuns() {
      const goals = await (await kernel()).listGoals(scope, { limit: 100 });
      return goals.map((goal) => ({
        runId: goal.goal_id,
        status: goal.state,
        task: goal.objective,
        createdAt: goal.created_at,
      }));
    },

    async readRun(runId) {
      return resultOf(await (await kernel()).readGoal(scope, runId));
    },

    async *readTrail(runId) {
      yield* (await kernel()).readTrail(scope, runId);
    },

    async verifyTrail(runId) {
      return (await kernel()).verifyTrail(scope, runId);
    },

    doctor: () => diagnose({ dataDir, kernel, snapshot }),

    async [Symbol.asyncDispose]() {
      const store = opened;
      opened = null;
      // A kernel that could not be opened holds nothing; its error was told to whoever asked for it.
      await (await store?.catch(() => null))?.[Symbol.asyncDispose]();
    },
  };

  function transientRun(parts: RunParts, maxIterations: number, timeoutMs?: number): RunHandle {
    const stopped = new AbortController();
    const operations = memoryOperationLog({
      clock,
      ids,
      signal: stopped.signal,
      ...(timeoutMs === undefined ? {} : { deadlineMs: timeoutMs }),
    });
    const result = runOnLog(parts, { operations, trail: { append() {} } }).then(
      (outcome) => toTransientResult(parts.runId, outcome, maxIterations),
      (error: unknown) => transientInterruption(parts, error),
    );
    return {
      runId: parts.runId,
      result,
      stop() {
        stopped.abort();
      },
      async cancel() {
        stopped.abort();
        await result;
      },
    };
  }
}

function transientInterruption(parts: RunParts, error: unknown): RunResult {
  if (!MillforgeError.is(error) || error.code !== 'operation/suspended') throw error;
  const failure = failureIn(error);
  return {
    kind: 'run_result',
    schema_version: '1.0',
    run_id: parts.runId,
    status: failure === null ? 'interrupted' : 'failed',
    failure_class: failure === null ? null : 'model_unavailable',
    failure_message: failure,
    terminal_result: null,
    disposition: null,
    summary: null,
    selected_output: null,
    plan_sha256: parts.plan.sha256,
    usage: {},
    budget: { limit: 0, reserved: 0, used: 0 },
    trail_path: null,
    holds: [],
  };
}

function failureIn(error: MillforgeError): string | null {
  const details = error.details;
  if (typeof details !== 'object' || details === null || !('reason' in details)) return null;
  if (details['reason'] !== 'unavailable') return null;
  const failure = details['failure'];
  if (typeof failure !== 'object' || failure === null || !('message' in failure)) return '';
  return String(failure['message']);
}

function chooseHold(holds: readonly RunHold[], holdId: string | null, runId: string): RunHold {
  const chosen =
    holdId === null && holds.length === 1
      ? holds[0]
      : holds.find((hold) => hold.hold_id === holdId);
  if (chosen !== undefined) return chosen;
  const open = holds.map((hold) => hold.hold_id).join(', ');
  throw new MillforgeError(
    'millforge/usage',
    open === ''
      ? `Run ${runId} has no open hold; there is nothing to decide.`
      : `Run ${runId} has the open holds ${open}; name one of them.`,
  );
}

async function assertWorkspace(workspace: string): Promise<void> {
  if (!isAbsolute(workspace)) {
    throw new MillforgeError('millforge/usage', 'The workspace must be an absolute path.');
  }
  const found = await stat(workspace).catch(() => null);
  if (found?.isDirectory() !== true) {
    throw new MillforgeError(
      'millforge/usage',
      `The workspace ${workspace} is not a directory; create it or name another.`,
    );
  }
}

async function readWhole(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  for await (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

function keyOf(
  model: ModelSetting,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const name = model.kind === 'endpoint' ? model.profile.api_key_env : undefined;
  return name === undefined ? undefined : env[name];
}

const ENDED: ReadonlySet<GoalView['state']> = new Set(['completed', 'failed', 'cancelled']);
const MAX_PLAN_BYTES = 1_048_576;
