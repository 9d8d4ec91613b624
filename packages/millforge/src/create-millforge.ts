import { join } from 'node:path';
import { compileHarness } from '@millforge/compiler';
import { MillforgeError } from '@millforge/contracts';
import { type Kernel, openKernel } from '@millforge/kernel';
import { piTools } from '@millforge/pi-tools';
import { createRegistry } from '@millforge/registry';
import { diagnose } from './diagnose.ts';
import {
  type DurableParts,
  decideRun,
  listDurableRuns,
  readDurableRun,
  readRunGoal,
  resumeDurableRun,
  startDurableRun,
} from './durable-runs.ts';
import type { Millforge, RunRequest } from './millforge.ts';
import type { MillforgeOptions } from './millforge-options.ts';
import { openModel, settingKey } from './model-setting.ts';
import { nodeClock } from './node-clock.ts';
import { nodeIds } from './node-ids.ts';
import { assertSupportedPlatform, defaultDataDir, processActor } from './platform.ts';
import { type RunParts, runRedactor } from './run-adapter.ts';
import { admitPlan } from './run-contract.ts';
import { startTransientRun } from './transient-run.ts';
import { assertWorkspace } from './workspace.ts';

/**
 * Wires the parts of Millforge. Synchronous and free of effects: the trail is opened, and the SQLite
 * driver loaded, when the first method needs it. Whoever makes one disposes of it.
 *
 * @throws `registry/…` for tools that cannot stand beside each other.
 */
export function createMillforge(options: MillforgeOptions = {}): Millforge {
  const clock = options.clock ?? nodeClock();
  const ids = options.ids ?? nodeIds();
  const env = options.env ?? process.env;
  const dataDir = options.dataDir === undefined ? defaultDataDir(env) : options.dataDir;
  const registry = createRegistry();
  registry.register(...(options.shippedTools ?? piTools({ environment: env })), ...(options.tools ?? []));
  const snapshot = registry.freeze();

  const runParts = (runId: string, request: RunRequest): RunParts => {
    const redactor = runRedactor(settingKey(request.model, env));
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

  let opened: Promise<Kernel> | null = null;
  const openTrail = (directory: string): Promise<Kernel> => {
    opened ??= openKernel({
      path: join(directory, 'trail.db'),
      clock,
      ids,
      ...(options.failpoint === undefined ? {} : { failpoint: options.failpoint }),
    });
    return opened;
  };
  const durable = async (): Promise<DurableParts> => {
    if (dataDir === null) {
      throw new MillforgeError(
        'millforge/no-trail',
        'This Millforge keeps nothing; give it a dataDir to resume, list or verify runs.',
      );
    }
    const scope = {
      tenant: 'local',
      resource: dataDir,
      actor: options.actor ?? processActor(),
    };
    return { kernel: await openTrail(dataDir), scope, dataDir, snapshot, runParts };
  };

  return {
    catalog: snapshot,
    snapshot,
    trailPath: dataDir === null ? null : join(dataDir, 'trail.db'),

    compile: (source, input) => compileHarness(source, { ...input, catalog: snapshot }),

    async run(request) {
      assertSupportedPlatform(process.platform);
      const plan = admitPlan(request);
      await assertWorkspace(request.workspace);
      const runId = ids.newId('run');
      if (dataDir !== null) return startDurableRun(await durable(), { runId, request, plan });
      const { timeoutMs } = request;
      return startTransientRun(runParts(runId, request), {
        ids,
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      });
    },

    async resume(runId, resumeOptions = {}) {
      assertSupportedPlatform(process.platform);
      return resumeDurableRun(await durable(), runId, resumeOptions);
    },

    async decide(runId, decision) {
      return decideRun(await durable(), runId, decision);
    },

    async listRuns() {
      return listDurableRuns(await durable());
    },

    async readRun(runId) {
      return readDurableRun(await durable(), runId);
    },

    async *readTrail(runId) {
      const parts = await durable();
      await readRunGoal(parts, runId);
      yield* parts.kernel.readTrail(parts.scope, runId);
    },

    async verifyTrail(runId) {
      const parts = await durable();
      if (runId !== undefined) await readRunGoal(parts, runId);
      return parts.kernel.verifyTrail(parts.scope, runId);
    },

    doctor: () => diagnose({ dataDir, openTrail, snapshot }),

    async [Symbol.asyncDispose]() {
      const store = opened;
      opened = null;
      // A kernel that could not be opened holds nothing; its error was told to whoever asked for it.
      await (await store?.catch(() => null))?.[Symbol.asyncDispose]();
    },
  };
}
