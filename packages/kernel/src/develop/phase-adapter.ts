import { rm } from 'node:fs/promises';
import {
  type JsonObject,
  type JsonValue,
  MillforgeError,
  type Operation,
  type OperationLog,
} from '@millforge/contracts';
import type { TaskContext, WorkAdapter } from '../adapter.ts';
import { bindingOf } from './adapter-binding.ts';
import type { WorkPhase } from './develop-contract.ts';
import { candidateOf, copiesOf, type DevelopParts } from './develop-parts.ts';
import { type DevelopTerms, readTerms } from './develop-terms.ts';
import {
  assertUntouched,
  captureOnly,
  loadTree,
  lookAtTrees,
  type TreeLook,
} from './look-at-trees.ts';
import type { PhaseReport, PhaseWorker } from './phase-worker.ts';
import { digestsIn, reportsIn, shortfallIn } from './read-outputs.ts';
import { type PlannedTask, planTasks } from './task-plan.ts';
import { treeDigest } from './tree/captured-tree.ts';
import { placeTree } from './tree/place-tree.ts';

/** Runs a phase between two looks at both trees, and lets nothing pass that it may not have changed. */
export function phaseAdapter(parts: DevelopParts, phase: WorkPhase): WorkAdapter {
  const worker = parts.workers[phase];
  return {
    ...bindingOf(phase, worker),
    kind: worker.kind,
    async run(context) {
      const terms = readTerms(context.inputs);
      const planned = plannedOf(terms, context.taskId);
      const expected = digestsIn(context.outputs, planned.previous);
      const isRepeat = context.isRecorded?.('tree/before') === true;
      const looks = { parts, context, terms };
      const before = await look(looks, { key: 'tree/before', step: 0, expected, allowed: null });
      assertUntouched(before, `Between the phases, before ${context.taskId}`);
      if (isRepeat && mustRestore(worker, phase, terms)) await restore(looks, before);
      // A criterion that was killed leaves its copies, and with them the protected checks.
      await rm(copiesOf(parts, context.goalId), { recursive: true, force: true });
      const steps = countSteps(context);
      const report = boundReport(
        await worker.run(contextOf(looks, { phase, planned, operations: steps.operations })),
      );
      const after = await look(looks, {
        key: 'tree/after',
        step: steps.last() + 1,
        expected: before,
        allowed: phase === 'build' ? terms.allowed_paths : null,
      });
      assertUntouched(
        after,
        phase === 'build'
          ? `The phase ${context.taskId} wrote where it may not`
          : `The phase ${context.taskId}, which may only read, left changes`,
      );
      return outputOf({ phase, planned, after, report });
    },
  };
}

interface Looks {
  readonly parts: DevelopParts;
  readonly context: TaskContext;
  readonly terms: DevelopTerms;
}

function look(
  { parts, context, terms }: Looks,
  one: Parameters<typeof lookAtTrees>[2]['look'],
): Promise<TreeLook> {
  return lookAtTrees(parts, context, { terms, look: one });
}

function plannedOf(terms: DevelopTerms, taskId: string): PlannedTask {
  const planned = planTasks(terms).find((task) => task.taskId === taskId);
  if (planned !== undefined) return planned;
  throw new MillforgeError('internal/unreachable', `The development has no task ${taskId}.`);
}

/** A phase that goes on behind its record finds its own changes; one that begins anew must not. */
function mustRestore(
  worker: PhaseWorker,
  phase: WorkPhase,
  { restore: may }: DevelopTerms,
): boolean {
  return phase === 'build' && worker.doubt === 'attempt' && may;
}

async function restore(
  { parts, context, terms }: Looks,
  { candidate_sha256 }: TreeLook,
): Promise<void> {
  const directory = candidateOf(parts, context.goalId);
  const found = await captureOnly(directory, terms.ignore, context.signal).catch(() => null);
  if (found !== null && treeDigest(found) === candidate_sha256) return;
  const { store } = parts;
  await placeTree(await loadTree(parts, candidate_sha256), { directory, store });
}

/** The operations of a worker lie between the two looks, so their steps begin behind the first. */
function countSteps(context: TaskContext): {
  readonly operations: OperationLog;
  readonly last: () => number;
} {
  let last = 0;
  const moved = <T extends JsonValue>(operation: Operation<T>): Operation<T> => {
    if (operation.key.startsWith(OWN_KEYS)) {
      throw new MillforgeError(
        'kernel/operation-invalid',
        `The key ${operation.key.slice(0, 64)} belongs to the development; choose another.`,
      );
    }
    last = Math.max(last, operation.step + 1);
    return { ...operation, step: operation.step + 1 };
  };
  return {
    last: () => last,
    operations: {
      signal: context.signal,
      newId: (key) => context.newId(key),
      isRecorded: (key) => context.isRecorded?.(key) === true,
      perform: (operation, act) => context.perform(moved(operation), act),
    },
  };
}

function contextOf(
  { parts, context, terms }: Looks,
  {
    phase,
    planned,
    operations,
  }: {
    readonly phase: WorkPhase;
    readonly planned: PlannedTask;
    readonly operations: OperationLog;
  },
): Parameters<PhaseWorker['run']>[0] {
  return Object.freeze({
    goalId: context.goalId,
    phase,
    round: planned.round,
    rounds: terms.rounds,
    objective: context.objective,
    criteria: terms.criteria.map(({ name, text }) => ({ name, text })),
    directory: candidateOf(parts, context.goalId),
    mayWrite: phase === 'build',
    allowedPaths: terms.allowed_paths,
    reports: reportsIn(context.outputs, planned),
    shortfall: shortfallIn(context.outputs, planned),
    operations,
    trail: {
      append: (entry: Parameters<TaskContext['log']>[0]) =>
        context.log({ ...entry, step: entry.step + 1 }),
    },
    deadline: context.deadline,
    signal: context.signal,
  });
}

function boundReport({ summary, data = null }: PhaseReport): Required<PhaseReport> {
  if (typeof summary !== 'string' || Buffer.byteLength(summary) > MAX_SUMMARY_BYTES) {
    throw new MillforgeError(
      'kernel/operation-invalid',
      'A phase reports a summary of at most 64 KiB; save what is longer as an artifact.',
    );
  }
  return { summary, data };
}

function outputOf({
  phase,
  planned,
  after,
  report,
}: {
  readonly phase: WorkPhase;
  readonly planned: PlannedTask;
  readonly after: TreeLook;
  readonly report: Required<PhaseReport>;
}): JsonObject {
  const { candidate_sha256, changes, checks_sha256 } = after;
  return {
    kind: 'develop_phase',
    schema_version: '1.0',
    phase,
    round: planned.round,
    candidate_sha256,
    checks_sha256,
    changes,
    summary: report.summary,
    data: report.data,
  };
}

const OWN_KEYS = 'tree/';
const MAX_SUMMARY_BYTES = 65_536;
