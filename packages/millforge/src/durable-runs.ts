import { join } from 'node:path';
import type { DecisionRequest, ResumeOptions, RunSummary } from '@millforge/cli';
import {
  type Ids,
  MAX_PLAN_BYTES,
  MillforgeError,
  type RunResult,
  sha256,
} from '@millforge/contracts';
import type { GoalRun, GoalState, GoalSummary, GoalView, Kernel, Scope } from '@millforge/kernel';
import { openArtifactFolder } from '@millforge/kernel/artifacts';
import type { RegistrySnapshot } from '@millforge/registry';
import type { SteeringQueue } from '@millforge/runtime';
import { type AdmittedRun, readRequestedPlan } from './admit-run.ts';
import { exportRun } from './export-run.ts';
import { goalKindOf } from './goal-kind.ts';
import { millforgeError } from './millforge-error.ts';
import { assertReachable } from './model-setting.ts';
import { readReviewInputs } from './review/review-inputs.ts';
import { type RunBytes, type RunParts, runAdapter } from './run-adapter.ts';
import { readRunInputs, runBinding, runContract } from './run-contract.ts';
import type { RunHandle } from './run-handle.ts';
import { attestedOutcome, chooseHold, readHolds } from './run-holds.ts';
import type { RunRequest } from './run-request.ts';
import { toRunResult } from './run-result.ts';
import { runDirectory } from './run-surroundings.ts';
import { steerHandle } from './steer-handle.ts';
import { assertWorkspace } from './workspace.ts';

/** What the durable runs of one data directory stand on. */
export interface DurableParts {
  /** The open trail. */
  readonly kernel: Kernel;
  /** On whose behalf. */
  readonly scope: Scope;
  /** Directory of the trail and of the exports. */
  readonly dataDir: string;
  /** The tools. */
  readonly snapshot: RegistrySnapshot;
  /** Source of fresh names. */
  readonly ids: Ids;
  /** Makes what one execution needs. */
  readonly runParts: (runId: string, request: RunRequest) => RunParts;
}

/** Admits a run and starts it. */
export async function startDurableRun(
  parts: DurableParts,
  run: AdmittedRun & { readonly runId: string },
): Promise<RunHandle> {
  const { kernel, scope, snapshot } = parts;
  const { runId, request, plan } = run;
  // Everything that can be refused is made before anything is written.
  const bytes = new TextEncoder().encode(request.plan.bytes);
  const planArtifact = sha256(bytes);
  const contract = runContract(runId, request, { plan, planArtifact, snapshot });
  const runParts = parts.runParts(runId, request);
  const artifacts = kernel.artifacts(scope);
  const binding = runBinding(plan, request.model, snapshot);
  const adapter = runAdapter(binding, runParts, bytesOf(parts, runId));
  await artifacts.put(bytes, { mediaType: 'application/json', maxBytes: MAX_PLAN_BYTES });
  await kernel.admitGoal(scope, contract);
  const going = kernel.runGoal(scope, runId, { adapters: [adapter] });
  return handleOf(parts, { runId, run: going, steering: runParts.steering });
}

function bytesOf({ kernel, scope, dataDir, ids }: DurableParts, runId: string): RunBytes {
  return {
    open: (digest) => kernel.artifacts(scope).open(digest),
    folder: openArtifactFolder({ directory: runDirectory(dataDir, runId), runId, ids }),
  };
}

/** Goes on with a run from what the trail keeps of it; one that has ended gives its result again. */
export async function resumeDurableRun(
  parts: DurableParts,
  runId: string,
  options: ResumeOptions & { readonly env: Readonly<Record<string, string | undefined>> },
): Promise<RunHandle> {
  const { kernel, scope, snapshot } = parts;
  const goal = await readRunGoal(parts, runId);
  const kind = goalKindOf(goal);
  if (kind === 'review') {
    throw millforgeError(
      'millforge/usage',
      `${runId} is a review; 'millforge review --resume ${runId}' goes on with it.`,
    );
  }
  if (kind === 'development') {
    throw millforgeError(
      'millforge/usage',
      `${runId} is a development; the 'millforge develop CONTRACT' that began it goes on with it.`,
    );
  }
  if (ENDED.has(goal.state)) return endedHandle(parts, goal);
  const inputs = readRunInputs(goal.inputs);
  const { onEvent, deltas, onWaiting, onModel } = options;
  const request: RunRequest = {
    plan: {
      bytes: await readWhole(kernel.artifacts(scope).open(inputs.planArtifact)),
      sha256: inputs.planSha256,
    },
    task: inputs.task,
    workspace: inputs.workspace,
    grants: inputs.grants,
    model: inputs.model,
    ...(inputs.approvals === null ? {} : { approvals: inputs.approvals }),
    ...(inputs.outputs === null ? {} : { outputs: inputs.outputs }),
    ...(onEvent === undefined ? {} : { onEvent }),
    ...(deltas === undefined ? {} : { deltas }),
  };
  const plan = readRequestedPlan(request.plan);
  await assertWorkspace(request.workspace);
  assertReachable(request.model, options.env);
  onModel?.(request.model);
  const binding = runBinding(plan, request.model, snapshot);
  const runParts = parts.runParts(runId, request);
  const adapter = runAdapter(binding, runParts, bytesOf(parts, runId));
  const run = kernel.runGoal(scope, runId, {
    adapters: [adapter],
    ...(onWaiting === undefined
      ? {}
      : {
          onWaiting: (owner) => {
            onWaiting(`process ${owner.pid} on ${owner.host}, since ${owner.started_at}`);
          },
        }),
  });
  return handleOf(parts, { runId, run, steering: runParts.steering });
}

/** Answers a hold of a run. */
export async function decideRun(
  parts: DurableParts,
  runId: string,
  decision: DecisionRequest & { readonly env: Readonly<Record<string, string | undefined>> },
): Promise<RunResult> {
  const goal = await readRunGoal(parts, runId);
  const hold = chooseHold(goal, decision.holdId);
  if (decision.resumes === true) await assertResumable(goal, decision.env);
  const decided = await parts.kernel.decide(parts.scope, runId, {
    holdId: hold.hold_id,
    version: decision.version ?? hold.version,
    decision: decision.decision,
    reason: decision.reason,
    ...(decision.decision === 'accept'
      ? { outcome: await attestedOutcome(parts, goal, { hold, given: decision.outcome }) }
      : {}),
  });
  return resultOf(parts, decided);
}

/** Refuses to go on with what lacks something of this process for it; a development brings its model anew. */
async function assertResumable(
  goal: GoalView,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const kind = goalKindOf(goal);
  if (kind === 'review') {
    const { model } = readReviewInputs(goal.goal_id, goal.inputs);
    if (model !== null) assertReachable(model, env);
  }
  if (kind !== 'run') return;
  const { model, workspace } = readRunInputs(goal.inputs);
  await assertWorkspace(workspace);
  assertReachable(model, env);
}

/** Reads how a run stands. */
export async function readDurableRun(parts: DurableParts, runId: string): Promise<RunResult> {
  return resultOf(parts, await readRunGoal(parts, runId));
}

/** Lists the latest runs, newest first. */
export async function listDurableRuns(parts: DurableParts): Promise<readonly RunSummary[]> {
  const goals = await parts.kernel.listGoals(parts.scope, { limit: LISTED_RUNS });
  return goals.map((goal) => ({
    runId: goal.goal_id,
    status: statusOf(goal),
    task: goal.title,
    createdAt: goal.created_at,
  }));
}

// A goal counts as running until it ends, whether or not a process is at it.
function statusOf({ state, is_running: isRunning }: GoalSummary): RunSummary['status'] {
  if (state === 'held' || ENDED.has(state)) return state;
  return isRunning ? 'running' : 'interrupted';
}

/** Reads the goal of a run, or says in the words of runs that there is none. */
export async function readRunGoal(
  { kernel, scope, dataDir }: DurableParts,
  runId: string,
): Promise<GoalView> {
  try {
    return await kernel.readGoal(scope, runId);
  } catch (cause) {
    if (!MillforgeError.is(cause, 'kernel/not-found')) throw cause;
    throw noSuchRun(runId, dataDir);
  }
}

/** The error for a run that is not in a data directory. */
function noSuchRun(runId: string, dataDir: string): MillforgeError {
  return millforgeError(
    'millforge/usage',
    `There is no run ${runId.slice(0, 128)} in ${dataDir}; 'millforge runs' lists those that are there.`,
  );
}

function handleOf(
  parts: DurableParts,
  {
    runId,
    run,
    steering,
  }: { readonly runId: string; readonly run: GoalRun; readonly steering: SteeringQueue },
): RunHandle {
  const result = finish(parts, run);
  return {
    runId,
    result,
    ...steerHandle(steering, result),
    stop(options) {
      run.stop(options);
    },
    async cancel(reason) {
      await run.cancel(reason);
    },
  };
}

// Nothing of an ended run can be stopped or cancelled any more.
function endedHandle(parts: DurableParts, goal: GoalView): RunHandle {
  const result = finish(parts, { done: Promise.resolve(goal) });
  // Whoever only asks whether it has ended need not wait for it.
  result.catch(() => undefined);
  return {
    runId: goal.goal_id,
    result,
    send: () => false,
    requestStop: () => false,
    stop() {},
    async cancel() {},
  };
}

async function finish(parts: DurableParts, run: Pick<GoalRun, 'done'>): Promise<RunResult> {
  const goal = await run.done;
  const result = await resultOf(parts, goal);
  if (ENDED.has(goal.state)) {
    await exportRun(runDirectory(parts.dataDir, goal.goal_id), {
      result,
      inputs: goal.inputs,
      ids: parts.ids,
      records: parts.kernel.readTrail(parts.scope, goal.goal_id),
      readOutcome: async (key) =>
        (await parts.kernel.readOperation(parts.scope, goal.goal_id, { key })).outcome?.value ??
        null,
    });
  }
  return result;
}

async function resultOf(parts: DurableParts, goal: GoalView): Promise<RunResult> {
  return toRunResult(goal, {
    trailPath: join(parts.dataDir, 'trail.db'),
    holds: await readHolds(parts, goal),
  });
}

async function readWhole(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  for await (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

const ENDED: ReadonlySet<GoalState> = new Set<GoalState>(['completed', 'failed', 'cancelled']);
const LISTED_RUNS = 100;
