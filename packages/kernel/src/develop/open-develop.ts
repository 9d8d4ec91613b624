import { realpath, rm } from 'node:fs/promises';
import { type JsonValue, MillforgeError, toDiagnosticJson } from '@millforge/contracts';
import type { Adapter } from '../adapter.ts';
import type { GoalView } from '../goal-view.ts';
import type { GoalRun, Kernel, RunGoalOptions } from '../kernel.ts';
import { makeFolder } from '../make-folder.ts';
import type { Scope } from '../scope.ts';
import { assertPlaces, realPlaces } from './assert-places.ts';
import type { CheckRunner } from './check-runner.ts';
import type { CompleteDevelopContract, DevelopContract, WorkPhase } from './develop-contract.ts';
import { developError } from './develop-error.ts';
import { developGoal } from './develop-goal.ts';
import { type DevelopParts, homeOf } from './develop-parts.ts';
import { contractDigest, readTerms } from './develop-terms.ts';
import { healthAdapter } from './health-adapter.ts';
import { hiddenBytes } from './hidden-criteria.ts';
import { captureOnly } from './look-at-trees.ts';
import { type MadeHandoff, makeHandoff } from './make-handoff.ts';
import { phaseAdapter } from './phase-adapter.ts';
import type { PhaseWorker } from './phase-worker.ts';
import { prepareAdapter } from './prepare-adapter.ts';
import { readDevelopContract } from './read-develop-contract.ts';
import { treeDigest } from './tree/captured-tree.ts';
import { verifyAdapter } from './verify-adapter.ts';

/** What developments are run with. */
export interface OpenDevelopOptions {
  /** Remembers them; stays the caller's. */
  readonly kernel: Kernel;
  /** On whose behalf. */
  readonly scope: Scope;
  /**
   * Absolute path of the directory of work copies. It must survive a crash, and lie outside the trees and outside
   * the kernel's own directory, where tools of a model could come across what is kept.
   */
  readonly directory: string;
  /** Who performs the phases. */
  readonly workers: Readonly<Record<WorkPhase, PhaseWorker>>;
  /** Runs the commands of criteria. */
  readonly runCheck: CheckRunner;
}

/** Bounded developments on one kernel. */
export interface Develop {
  /** The adapters of every development, for `runGoal` and `runWorker`. */
  readonly adapters: readonly Adapter[];
  /**
   * Admits a development of a tree. Both trees are only read. A development that was admitted under this contract for
   * these places is given again, whatever the trees hold by now: it goes on with what was captured.
   *
   * @throws `develop/contract-invalid` with the diagnostics as details; `develop/…` for checks that are named and not given, and for a tree that cannot be
   * captured or has no place of its own; `kernel/goal-conflict` where another contract or place has the name.
   */
  admit(
    contract: DevelopContract,
    trees: {
      /** Absolute path of the tree that is developed; it is never written to. */
      readonly candidate: string;
      /** Absolute path of the protected checks, outside the candidate. */
      readonly checks?: string;
    },
    options?: {
      /** What the host wants to find again in the goal's inputs, as `host`; no phase is told. Default null. */
      readonly host?: JsonValue;
    },
  ): Promise<GoalView>;
  /** Runs a development until it ends, is held or is stopped; goes on where it was. */
  run(goalId: string, options?: Omit<RunGoalOptions, 'adapters'>): GoalRun;
  /** What a person is handed, also of a development that failed. */
  handoff(goalId: string): Promise<MadeHandoff>;
  /** Removes the work copy of a development that has ended; its captured trees and patches stay. */
  discard(goalId: string): Promise<void>;
}

/** Makes developments possible on a kernel. Touches nothing by itself. */
export function openDevelop(options: OpenDevelopOptions): Develop {
  const { kernel, scope, directory, workers, runCheck } = options;
  const parts: DevelopParts = { workers, runCheck, directory, store: kernel.artifacts(scope) };
  const adapters: readonly Adapter[] = [
    prepareAdapter(parts),
    ...WORK_PHASES.map((phase) => phaseAdapter(parts, phase)),
    verifyAdapter(parts),
    healthAdapter(parts),
  ];
  return {
    adapters,
    async admit(contract, given, { host = null } = {}) {
      const read = readDevelopContract(contract);
      if (!read.ok) {
        throw developError(
          'develop/contract-invalid',
          `The contract has ${read.diagnostics.length === 1 ? 'a mistake' : `${read.diagnostics.length} mistakes`}: ${read.diagnostics[0]?.message ?? ''}`,
          {
            diagnostics: read.diagnostics.map((one) =>
              toDiagnosticJson(one, { logicalPath: 'contract' }),
            ),
          },
        );
      }
      const { value } = read;
      const trees = await realPlaces(given);
      makeFolder(directory, 0o700);
      assertPlaces({
        candidate: trees.candidate,
        checks: trees.checks ?? null,
        directory: await realpath(directory),
      });
      if (trees.checks === undefined) assertNoChecks(value);
      const known = await findAdmitted(value, trees);
      if (known !== null) return known;
      const candidate = await captureOnly(trees.candidate, value.ignore);
      const checks = trees.checks === undefined ? null : await captureOnly(trees.checks, []);
      const hidden = value.criteria.filter((one) => one.hidden);
      const goal = developGoal(value, {
        workers,
        admitted: {
          host,
          candidate: { place: trees.candidate, sha256: treeDigest(candidate) },
          checks:
            checks === null || trees.checks === undefined
              ? null
              : { place: trees.checks, sha256: treeDigest(checks) },
          hidden_criteria_sha256: hidden.length === 0 ? null : await keepHidden(hidden),
        },
      });
      return kernel.admitGoal(scope, goal);
    },
    run: (goalId, runOptions = {}) => kernel.runGoal(scope, goalId, { ...runOptions, adapters }),
    handoff: (goalId) => makeHandoff({ kernel, scope }, goalId),
    async discard(goalId) {
      const goal = await kernel.readGoal(scope, goalId);
      readTerms(goal.inputs);
      if (!ENDED.has(goal.state)) {
        throw developError(
          'develop/not-ended',
          `The development ${goalId} is ${goal.state} and needs its work copy; cancel it first.`,
        );
      }
      await rm(homeOf(directory, goalId), { recursive: true, force: true });
    },
  };

  async function findAdmitted(
    contract: CompleteDevelopContract,
    trees: Parameters<Develop['admit']>[1],
  ): Promise<GoalView | null> {
    try {
      const goal = await kernel.readGoal(scope, contract.goal_id);
      const terms = readTerms(goal.inputs);
      const isSame =
        terms.develop_contract_sha256 === contractDigest(contract) &&
        terms.candidate.place === trees.candidate &&
        terms.checks?.place === trees.checks;
      return isSame ? goal : null;
    } catch (error) {
      // What has the name and is no development is told by the admission.
      if (MillforgeError.is(error, 'develop/not-a-development')) return null;
      if (MillforgeError.is(error, 'kernel/not-found')) return null;
      throw error;
    }
  }

  async function keepHidden(hidden: Parameters<typeof hiddenBytes>[0]): Promise<string> {
    const bytes = hiddenBytes(hidden);
    const kept = await kernel.artifacts(scope).put(bytes, {
      mediaType: 'application/json',
      maxBytes: bytes.length,
    });
    return kept.sha256;
  }
}

/** A command without its checks would fail in every round, after the model has been paid for. */
function assertNoChecks({ criteria }: CompleteDevelopContract): void {
  const needing = criteria.find(({ command }) => command.some((part) => part.includes('{checks}')));
  if (needing === undefined) return;
  throw developError(
    'develop/checks-missing',
    `The criterion ${needing.name} uses {checks}, but no folder of checks is given; name it (--checks DIR).`,
  );
}

const WORK_PHASES: readonly WorkPhase[] = ['plan', 'research', 'build', 'debug'];
const ENDED: ReadonlySet<GoalView['state']> = new Set(['completed', 'failed', 'cancelled']);
