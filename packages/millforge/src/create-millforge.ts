import { join, resolve } from 'node:path';
import { builtinTools } from '@millforge/builtin-tools';
import { compileHarness } from '@millforge/compiler';
import { MillforgeError } from '@millforge/contracts';
import { ALL_PERMISSIONS, type Kernel, type KernelErrorCode, openKernel } from '@millforge/kernel';
import { piTools } from '@millforge/pi-tools';
import { createRegistry } from '@millforge/registry';
import { createSteeringQueue } from '@millforge/runtime';
import { admitRun } from './admit-run.ts';
import { openBase } from './base/open-base.ts';
import { chooseBoundary } from './develop/choose-boundary.ts';
import { startDevelop } from './develop/start-develop.ts';
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
import { exportLines } from './export-lines.ts';
import { goalKindOf } from './goal-kind.ts';
import { isTrailThere, refuseFolder } from './is-trail-there.ts';
import type { Millforge } from './millforge.ts';
import { millforgeError } from './millforge-error.ts';
import type { MillforgeOptions } from './millforge-options.ts';
import { createModelHttp } from './model-http.ts';
import { openModel, settingKey } from './model-setting.ts';
import { nodeClock } from './node-clock.ts';
import { nodeIds } from './node-ids.ts';
import { assertSupportedPlatform, defaultDataDir, homeOf, processActor } from './platform.ts';
import type { ReviewParts } from './review/durable-reviews.ts';
import { type RunParts, runRedactor } from './run-adapter.ts';
import { DEFAULT_TIMEOUT_MS } from './run-contract.ts';
import type { RunRequest } from './run-request.ts';
import { createRunSurroundings } from './run-surroundings.ts';
import { sandboxedCommands, sandboxedProfiles } from './sandbox/sandboxed-commands.ts';
import { startTransientRun } from './transient-run.ts';
import { tryTool } from './try-tool.ts';

/**
 * Wires the parts of Millforge. Synchronous and free of effects: the trail is opened, and the SQLite
 * driver loaded, when the first method needs it. Whoever makes one disposes of it.
 *
 * @throws `registry/…` for tools that cannot stand beside each other; `builtin-tools/…` and `path/…` for
 * profiles and protected paths that are none.
 */
export function createMillforge(options: MillforgeOptions = {}): Millforge {
  const clock = options.clock ?? nodeClock();
  const ids = options.ids ?? nodeIds();
  const env = options.env ?? process.env;
  const platform = options.platform ?? process.platform;
  const dataDir = dataDirOf(options.dataDir, env);
  const trailPath = dataDir === null ? null : join(dataDir, 'trail.db');
  const surroundings = createRunSurroundings({
    dataDir,
    clock,
    ids,
    paths: options.builtinTools ?? {},
  });
  const registry = createRegistry();
  registry.register(
    ...(options.shippedTools ?? [
      ...builtinTools({
        ...(options.sandbox === undefined
          ? {}
          : { runProfile: sandboxedProfiles(options.sandbox) }),
        ...options.builtinTools,
        environment: env,
        findRun: surroundings.find,
      }),
      ...piTools({
        environment: env,
        ...(options.sandbox === undefined
          ? {}
          : { runCommand: sandboxedCommands(options.sandbox) }),
      }),
    ]),
    ...(options.tools ?? []),
  );
  const snapshot = registry.freeze();
  const hostFolders: ReadonlyMap<string, string> = new Map([
    [homeOf(env), '~'],
    ...(dataDir === null ? [] : ([[dataDir, '[data]']] as const)),
  ]);

  const http = createModelHttp(options.fetch);
  const runParts = (runId: string, request: RunRequest): RunParts => {
    const redactor = runRedactor(settingKey(request.model, env));
    return {
      runId,
      plan: request.plan,
      task: request.task,
      workspace: request.workspace,
      grants: request.grants,
      model: openModel(request.model, { http, clock, env, redactor }),
      snapshot,
      clock,
      redactor,
      hostFolders,
      enter: () => surroundings.enter({ ...request, runId }),
      steering: createSteeringQueue(),
      ...(request.outputs === undefined ? {} : { outputs: request.outputs }),
      ...(request.approvals === undefined ? {} : { approvals: request.approvals }),
      ...(options.approvalProvider === undefined
        ? {}
        : { approvalProvider: options.approvalProvider }),
      ...(request.onEvent === undefined ? {} : { onEvent: request.onEvent }),
      ...(request.deltas === undefined ? {} : { deltas: request.deltas }),
    };
  };

  let opened: Promise<Kernel> | null = null;
  let isClosed = false;
  const openIn = async (
    directory: string,
    how: { readonly readOnly?: boolean } = {},
  ): Promise<Kernel> => {
    const path = join(directory, 'trail.db');
    refuseFolder(path);
    return openKernel({
      ...how,
      path,
      clock,
      ids,
      ...(options.observer === undefined ? {} : { observer: options.observer }),
      ...(options.failpoint === undefined ? {} : { failpoint: options.failpoint }),
    });
  };
  const openTrail = async (directory: string): Promise<Kernel> => {
    // What goes on when this is disposed of would open a trail that nobody closes.
    if (isClosed)
      throw millforgeError('millforge/closed', 'This Millforge was closed; create another.');
    opened ??= openIn(directory);
    return opened;
  };
  let looked: Promise<Kernel> | null = null;
  // What is on a read-only medium, and a backup, can be looked at, and only that.
  const openToLook = async (directory: string): Promise<Kernel> => {
    try {
      return await openTrail(directory);
    } catch (error) {
      if (!isUnwritable(error) || !isTrailThere(join(directory, 'trail.db'))) throw error;
      looked ??= openIn(directory, { readOnly: true });
      // Whoever may not read it either is told what they were told first.
      return await looked.catch((cause: unknown) => {
        throw MillforgeError.is(cause, 'kernel/no-permission') ? error : cause;
      });
    }
  };
  const durable = async (open = openTrail): Promise<DurableParts> => {
    if (dataDir === null) {
      throw millforgeError(
        'millforge/no-trail',
        'This Millforge keeps nothing; give it a dataDir to resume, list or verify runs.',
      );
    }
    const scope = {
      tenant: 'local',
      resource: dataDir,
      actor: options.actor ?? processActor(),
      permissions: ALL_PERMISSIONS,
    };
    return { kernel: await open(dataDir), scope, dataDir, ids, snapshot, runParts };
  };
  // Looking for a run must not make a trail: where there is none, there is no run.
  const durableWith = async (runId: string, open = openTrail): Promise<DurableParts> => {
    if (dataDir !== null && trailPath !== null && !isTrailThere(trailPath)) {
      throw noTrail(trailPath, `, and so no run ${runId.slice(0, 128)}`);
    }
    return durable(open);
  };
  const lookingWith = (runId: string): Promise<DurableParts> => durableWith(runId, openToLook);

  const reviewParts = (open: () => Promise<DurableParts>): ReviewParts => ({
    open,
    ids,
    clock,
    env,
    openModel: (setting) => {
      const redactor = runRedactor(settingKey(setting, env));
      return openModel(setting, { http, clock, env, redactor });
    },
  });

  const millforge: Millforge = {
    catalog: snapshot,
    snapshot,
    trailPath,

    compile: (source, input) => compileHarness(source, { ...input, catalog: snapshot }),

    tryTool: (request) => tryTool(request, { snapshot, clock, redactor: runRedactor(undefined) }),

    async run(request) {
      assertSupportedPlatform(platform);
      const admitted = await admitRun(request, { snapshot, env });
      const runId = request.runId ?? ids.newId('run');
      if (dataDir !== null) return startDurableRun(await durable(), { ...admitted, runId });
      return startTransientRun(runParts(runId, admitted.request), {
        ids,
        limit: admitted.plan.budgets.max_iterations,
        timeoutMs: request.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      });
    },

    async develop(request) {
      assertSupportedPlatform(platform);
      const { kernel, scope, dataDir: directory } = await durable();
      return startDevelop(
        {
          kernel,
          scope,
          dataDir: directory,
          env,
          millforge,
          runParts,
          tools: { ...options.builtinTools, environment: env, findRun: surroundings.find },
          chooseBoundary: (hiddenPaths) =>
            chooseBoundary({ sandbox: options.sandbox, env, hiddenPaths }),
        },
        request,
      );
    },

    openBase: (baseOptions) => openBase({ millforge, platform, home: homeOf(env) }, baseOptions),

    async resume(runId, resumeOptions = {}) {
      assertSupportedPlatform(platform);
      return resumeDurableRun(await durableWith(runId), runId, { ...resumeOptions, env });
    },

    async decide(runId, decision) {
      assertSupportedPlatform(platform);
      return decideRun(await durableWith(runId), runId, { ...decision, env });
    },

    async listRuns() {
      if (trailPath !== null && !isTrailThere(trailPath)) return [];
      return listDurableRuns(await durable(openToLook));
    },

    async goalKind(goalId) {
      return goalKindOf(await readRunGoal(await lookingWith(goalId), goalId));
    },

    async readRun(runId) {
      return readDurableRun(await lookingWith(runId), runId);
    },

    async review(request) {
      assertSupportedPlatform(platform);
      // Most processes review nothing: what reviews need is loaded when one does.
      const { startDurableReview } = await import('./review/durable-reviews.ts');
      return startDurableReview(reviewParts(durable), request);
    },

    async resumeReview(reviewId, resumeOptions = {}) {
      assertSupportedPlatform(platform);
      const { resumeDurableReview } = await import('./review/durable-reviews.ts');
      const parts = reviewParts(() => durableWith(reviewId));
      return resumeDurableReview(parts, reviewId, resumeOptions);
    },

    async publications() {
      assertSupportedPlatform(platform);
      if (trailPath !== null && !isTrailThere(trailPath)) {
        throw noTrail(trailPath);
      }
      const parts = await durable(openToLook);
      const { openRunPublications } = await import('./publications/run-publications.ts');
      return openRunPublications({
        kernel: parts.kernel,
        scope: parts.scope,
        assertWritable: () => durable(),
        readRun: (runId) => readRunGoal(parts, runId),
        clock,
        ids,
        env,
        fetch: options.fetch ?? globalThis.fetch,
      });
    },

    async *readTrail(runId, readOptions = {}) {
      const parts = await lookingWith(runId);
      await readRunGoal(parts, runId);
      yield* parts.kernel.readTrail(parts.scope, runId, readOptions);
    },

    async *exportTrail(runId) {
      const parts = await lookingWith(runId);
      await readRunGoal(parts, runId);
      yield* parts.kernel.exportTrail(parts.scope, runId);
    },

    async importTrail(lines) {
      // What is no export at all makes no trail.
      const exported = await exportLines(lines);
      const { kernel, scope } = await durable();
      return (await kernel.importTrail(scope, exported)).goal_id;
    },

    async verifyTrail(runId) {
      if (runId === undefined) {
        if (trailPath !== null && !isTrailThere(trailPath)) {
          // A mistyped path must not pass as a trail that holds.
          throw noTrail(trailPath);
        }
        const { kernel, scope } = await durable(openToLook);
        return kernel.verifyTrail(scope);
      }
      const parts = await lookingWith(runId);
      await readRunGoal(parts, runId);
      return parts.kernel.verifyTrail(parts.scope, runId);
    },

    doctor: () =>
      diagnose({ dataDir, openTrail, openToLook, tryTrail: openIn, snapshot, platform }),

    async [Symbol.asyncDispose]() {
      isClosed = true;
      await http.close();
      const stores = [opened, looked];
      opened = null;
      looked = null;
      // A kernel that could not be opened holds nothing; its error was told to whoever asked for it.
      for (const store of stores) await (await store?.catch(() => null))?.[Symbol.asyncDispose]();
    },
  };
  return millforge;
}

function noTrail(path: string, more = ''): MillforgeError {
  return millforgeError(
    'millforge/usage',
    `There is no trail at ${path}${more}; name the data directory of the runs with --data.`,
  );
}

/** Whether a trail cannot be written here, which says nothing against reading it. */
function isUnwritable(error: unknown): boolean {
  return UNWRITABLE.some((code) => MillforgeError.is(error, code));
}

const UNWRITABLE: readonly KernelErrorCode[] = [
  'kernel/read-only',
  'kernel/no-permission',
  'kernel/is-backup',
];

function dataDirOf(
  given: string | null | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string | null {
  if (given === null) return null;
  return given === undefined ? defaultDataDir(env) : resolve(given);
}
