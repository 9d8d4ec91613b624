import { join } from 'node:path';
import { type BuiltinRun, type FindRun, openBaseline } from '@millforge/builtin-tools';
import type { PathPolicyOptions } from '@millforge/builtin-tools/path-policy';
import type { CapabilityGrant, Clock, CompiledHarnessPlan, Ids } from '@millforge/contracts';
import { memoryArtifacts, openArtifactFolder } from '@millforge/kernel/artifacts';
import { readRequestedPlan } from './admit-run.ts';

/** What the built-in tools are told about the runs of one Millforge, while these run. */
export interface RunSurroundings {
  /** Finds a run by its id; null for one that does not run here. */
  readonly find: FindRun;
  /** Makes a run known, and captures its workspace where a tool will compare with it; gives its end. */
  enter(run: EnteredRun): Promise<() => void>;
}

/** A run as it begins or goes on. */
export interface EnteredRun {
  /** Identifies it. */
  readonly runId: string;
  /** The plan. */
  readonly plan: { readonly bytes: string; readonly sha256: string };
  /** What the model is asked to do. */
  readonly task: string;
  /** Absolute path of the workspace. */
  readonly workspace: string;
  /** Capabilities granted. */
  readonly grants: readonly (string | CapabilityGrant)[];
}

/** Keeps artifacts and beginnings of runs beside their exports; in memory without a data directory. */
export function createRunSurroundings(host: {
  /** Directory of the trail, or null. */
  readonly dataDir: string | null;
  /** Time. */
  readonly clock: Clock;
  /** Source of fresh names. */
  readonly ids: Ids;
  /** What the operator allows of workspaces. */
  readonly paths: PathPolicyOptions;
}): RunSurroundings {
  const { dataDir, clock, ids, paths } = host;
  const runs = new Map<string, BuiltinRun>();
  return {
    find: (runId) => runs.get(runId) ?? null,
    async enter({ runId, task, workspace, grants, plan: requested }) {
      const plan = readRequestedPlan(requested);
      const directory = dataDir === null ? null : runDirectory(dataDir, runId);
      const run: BuiltinRun = {
        task,
        plan,
        grants: grants.map((grant) => (typeof grant === 'string' ? grant : grant.capabilityId)),
        artifacts:
          directory === null ? memoryArtifacts() : openArtifactFolder({ directory, runId, ids }),
        baseline: comparesWorkspace(plan)
          ? await openBaseline({
              ...paths,
              workspace,
              directory: directory === null ? null : join(directory, 'baseline'),
              clock,
            })
          : null,
      };
      runs.set(runId, run);
      return () => {
        if (runs.get(runId) === run) runs.delete(runId);
      };
    },
  };
}

/** Folder of a run: its exports, its artifacts, its beginning. */
export function runDirectory(dataDir: string, runId: string): string {
  return join(dataDir, 'runs', runId);
}

/** Reading a whole workspace at the start is only for plans that will ask what has changed in it. */
function comparesWorkspace(plan: CompiledHarnessPlan): boolean {
  return plan.required_capabilities.includes('workspace.diff.read');
}
