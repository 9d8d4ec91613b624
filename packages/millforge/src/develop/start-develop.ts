import { createHash } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { BuiltinToolOptions } from '@millforge/builtin-tools';
import type { DevelopHandle, DevelopRequest, DevelopResult } from '@millforge/cli';
import { type JsonObject, MillforgeError } from '@millforge/contracts';
import type { GoalView, Kernel, Scope } from '@millforge/kernel';
import { type Develop, openDevelop, type WorkPhase } from '@millforge/kernel/develop';
import { millforgeError } from '../millforge-error.ts';
import { assertReachable, readModelSetting } from '../model-setting.ts';
import { readHolds } from '../run-holds.ts';
import { assertWorkspace } from '../workspace.ts';
import { assertBegunWith, begunWith } from './begun-with.ts';
import type { DevelopBoundary } from './choose-boundary.ts';
import { type HarnessWorkerParts, harnessWorker } from './harness-worker.ts';
import { phaseTools } from './phase-tools.ts';

/** What developments of one data directory stand on. */
export interface DevelopGround extends Pick<HarnessWorkerParts, 'millforge' | 'runParts'> {
  /** The open trail. */
  readonly kernel: Kernel;
  /** On whose behalf. */
  readonly scope: Scope;
  /** Directory of the trail and of the exports. */
  readonly dataDir: string;
  /** Environment in which keys are looked up. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the built-in tools are made with. */
  readonly tools: BuiltinToolOptions;
  /** Chooses what keeps commands to their folders; these paths no command may see. */
  readonly chooseBoundary: (hiddenPaths: readonly string[]) => Promise<DevelopBoundary>;
}

/** Admits a development, or finds the one that was admitted under its contract, and starts it or goes on. */
export async function startDevelop(
  ground: DevelopGround,
  request: DevelopRequest,
): Promise<DevelopHandle> {
  const { dataDir, env } = ground;
  const read = readModelSetting(request.model);
  if (!read.ok) {
    throw millforgeError('millforge/document', `The model cannot be used: ${read.problem}`);
  }
  assertReachable(read.setting, env);
  await assertWorkspace(request.candidate);
  if (request.checks !== undefined) await assertWorkspace(request.checks, 'folder of checks');
  const hidden = [dataDir, ...(request.checks === undefined ? [] : [request.checks])];
  const boundary = await ground.chooseBoundary(hidden);
  try {
    return await start(ground, { ...request, model: read.setting }, boundary);
  } catch (error) {
    await boundary.close();
    throw error;
  }
}

async function start(
  ground: DevelopGround,
  request: DevelopRequest,
  boundary: DevelopBoundary,
): Promise<DevelopHandle> {
  const { kernel, scope, dataDir } = ground;
  const parts: HarnessWorkerParts = {
    millforge: ground.millforge,
    runParts: ground.runParts,
    toolsOf: phaseTools(ground.tools, boundary),
    model: request.model,
    hasShell: request.shell === true,
    ...(request.onEvent === undefined ? {} : { onEvent: request.onEvent }),
  };
  const worker = (phase: WorkPhase) => harnessWorker(phase, parts);
  const workers = {
    plan: worker('plan'),
    research: worker('research'),
    build: worker('build'),
    debug: worker('debug'),
  };
  const open = { kernel, scope, workers, runCheck: boundary.runCheck };
  const develop = openDevelop({ ...open, directory: workDirectory(dataDir) });
  const host = await begunWith(request);
  const known = await findGoal(ground, request.contract.goal_id);
  if (known !== null) assertBegunWith(known, host);
  const goal = await admit(develop, request, host);
  const run = develop.run(goal.goal_id);
  const isUnbounded = parts.hasShell && !boundary.keepsCommands;
  const finish = async (): Promise<DevelopResult> => {
    try {
      const ended = await run.done;
      return await resultOf(develop, ended, {
        dataDir,
        gaps: isUnbounded ? [UNBOUNDED] : [],
        holds: await readHolds({ kernel, scope }, ended),
      });
    } finally {
      await boundary.close();
    }
  };
  const result = finish();
  // Whoever only stops a development, or closes what it runs in, need not wait for it.
  result.catch(() => undefined);
  return { goalId: goal.goal_id, result, stop: (options) => run.stop(options) };
}

/**
 * Work copies lie beside the data, not in it: what a tool of a model meets on the way up from a copy is not the trail.
 */
function workDirectory(dataDir: string): string {
  return join(dirname(dataDir), `${basename(dataDir)}-work`);
}

/** What cannot be read is told by the admission, which reads the contract as well. */
async function findGoal(
  { kernel, scope }: DevelopGround,
  goalId: unknown,
): Promise<GoalView | null> {
  if (typeof goalId !== 'string') return null;
  try {
    return await kernel.readGoal(scope, goalId);
  } catch (error) {
    if (MillforgeError.is(error)) return null;
    throw error;
  }
}

async function admit(
  develop: Develop,
  request: DevelopRequest,
  host: JsonObject,
): Promise<GoalView> {
  const { contract, candidate, checks } = request;
  try {
    const trees = { candidate, ...(checks === undefined ? {} : { checks }) };
    return await develop.admit(contract, trees, { host });
  } catch (cause) {
    if (!MillforgeError.is(cause)) throw cause;
    if (cause.code === 'develop/contract-invalid') {
      const details = cause.details === undefined ? {} : { details: cause.details };
      throw millforgeError('millforge/document', cause.message, { cause, ...details });
    }
    if (!cause.code.startsWith('develop/')) throw cause;
    throw millforgeError('millforge/usage', cause.message, { cause });
  }
}

async function resultOf(
  develop: Develop,
  goal: GoalView,
  more: Pick<DevelopResult, 'holds'> & {
    readonly dataDir: string;
    readonly gaps: readonly string[];
  },
): Promise<DevelopResult> {
  const { dataDir, gaps, holds } = more;
  const { document: made, patch } = await develop.handoff(goal.goal_id);
  // What did not pass may be looked into; of what did, the patch is all.
  if (goal.state === 'completed') await develop.discard(goal.goal_id);
  const document = { ...made, gaps: [...made.gaps, ...gaps] };
  const folder = join(dataDir, 'runs', folderName(goal.goal_id));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await replace(join(folder, 'handoff.json'), `${JSON.stringify(document, null, 2)}\n`);
  if (patch !== null) await replace(join(folder, 'candidate.patch'), patch);
  return {
    kind: 'develop_result',
    schema_version: '1.0',
    goal_id: goal.goal_id,
    status: statusOf(goal),
    message: messageOf(goal),
    handoff: document,
    patch: patch === null ? null : join(folder, 'candidate.patch'),
    holds,
    folder,
    trail_path: join(dataDir, 'trail.db'),
  };
}

/** A file is there whole, or as it was. */
async function replace(path: string, content: string | Uint8Array): Promise<void> {
  await writeFile(`${path}.unfinished`, content, { mode: 0o600 });
  await rename(`${path}.unfinished`, path);
}

/** Names of goals may hold colons and dots, folders of exports do not. */
function folderName(goalId: string): string {
  const plain = goalId.replaceAll(/[^a-z0-9_-]/g, '_').slice(0, 100);
  if (plain === goalId) return plain;
  return `${plain}-${createHash('sha256').update(goalId).digest('hex').slice(0, 8)}`;
}

function statusOf({ state, failure, interruption }: GoalView): DevelopResult['status'] {
  switch (state) {
    case 'completed':
      return 'success';
    case 'failed':
      return failedStatus(failure?.code ?? '');
    case 'cancelled':
    case 'held':
      return state;
    case 'ready':
    case 'running':
    case 'checking':
    default:
      // A model that stays away is a failure to whoever waits, although it can be gone on.
      return interruption?.reason === 'unavailable' ? 'failed' : 'interrupted';
  }
}

function failedStatus(code: string): DevelopResult['status'] {
  // What says no to the candidate, as against what keeps it from being judged.
  if (code === 'check-failed' || code === 'integrity-violation') return 'rejected';
  if (code === 'phase-blocked' || code === 'phase-rejected') return 'blocked';
  // Refused operations of a phase itself, and of the run in it.
  if (code === 'budget-exhausted' || code === 'phase-budget_exhausted') return 'budget_exhausted';
  return code === 'deadline' || code === 'phase-deadline' ? 'deadline' : 'failed';
}

function messageOf({ failure, holds, interruption }: GoalView): string | null {
  const open = holds.find(({ state }) => state === 'open');
  return failure?.message ?? open?.message ?? interruption?.message ?? null;
}

const UNBOUNDED =
  'Shell commands of the model ran without a boundary, as the user and with all rights: what they did outside the work copy is not known.';
