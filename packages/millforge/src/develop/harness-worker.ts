import type { DevelopPhase, ModelSetting } from '@millforge/cli';
import { type OperationEffect, operationFailed, type RunOutcome } from '@millforge/contracts';
import type { PhaseContext, PhaseWorker, WorkPhase } from '@millforge/kernel/develop';
import type { RegistrySnapshot } from '@millforge/registry';
import type { RunEvent } from '@millforge/runtime';
import { compileForRun } from '../compile-for-run.ts';
import type { Millforge } from '../millforge.ts';
import { modelDigest } from '../model-setting.ts';
import { type RunParts, runOnLog } from '../run-adapter.ts';
import type { RunRequest } from '../run-request.ts';
import { phaseHarness } from './phase-harness.ts';
import { phaseTask } from './phase-task.ts';

/** What the phases of one development are performed with. */
export interface HarnessWorkerParts {
  /** Compiles the harness of a phase. */
  readonly millforge: Pick<Millforge, 'compile'>;
  /** Makes what one execution of a plan needs. */
  readonly runParts: (runId: string, request: RunRequest) => RunParts;
  /** The tools of each phase. */
  readonly toolsOf: (phase: WorkPhase) => RegistrySnapshot;
  /** The model. */
  readonly model: ModelSetting;
  /** Whether `build` and `debug` may run commands. */
  readonly hasShell: boolean;
  /** Told what happens. */
  readonly onEvent?: (event: RunEvent, phase: DevelopPhase) => void;
}

/** Performs a phase with a model: a plan of its own on the development's durable log. */
export function harnessWorker(phase: WorkPhase, parts: HarnessWorkerParts): PhaseWorker {
  const { millforge, model, hasShell } = parts;
  const modelProfileId =
    model.kind === 'endpoint' ? model.profile.profile_id : 'millforge.develop.scripted';
  const { source, grants } = phaseHarness(phase, { modelProfileId, hasShell });
  const plan = compileForRun(millforge, source, grants);
  return {
    kind: 'model',
    name: 'millforge.harness',
    version: '1',
    parameters: { plan_sha256: plan.sha256, model_sha256: modelDigest(model) },
    effect: effectOf(phase, hasShell),
    async run(context) {
      const { onEvent } = parts;
      const request: RunRequest = {
        plan,
        task: phaseTask(context),
        workspace: context.directory,
        model,
        grants,
        ...(onEvent === undefined
          ? {}
          : { onEvent: (event) => onEvent(event, { phase, round: context.round }) }),
      };
      const snapshot = parts.toolsOf(phase);
      const runParts = { ...parts.runParts(runIdOf(context), request), snapshot };
      const { operations, trail } = context;
      return reportOf(await runOnLog(runParts, { operations, trail }), phase);
    },
  };
}

/** A command may do anything, so a phase that runs one may as well; what it leaves is looked at. */
function effectOf(phase: WorkPhase, hasShell: boolean): OperationEffect {
  if (hasShell && (phase === 'build' || phase === 'debug')) return 'external';
  return phase === 'build' ? 'write' : 'read';
}

/** Names the run of a phase, also as a folder. */
function runIdOf({ goalId, phase, round }: PhaseContext): string {
  return `${goalId.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 100)}-${phase}-${round}`;
}

function reportOf(outcome: RunOutcome, phase: WorkPhase): { readonly summary: string } {
  const { status, summary, failure_class, failure_message } = outcome;
  if (status === 'success') return { summary: (summary ?? '').slice(0, MAX_SUMMARY) };
  throw operationFailed({
    code: status === 'failed' ? (failure_class ?? 'phase-failed') : `phase-${status}`,
    message: `The model did not finish the phase ${phase} (${status}): ${(failure_message ?? summary ?? 'no reason was given').slice(0, 500)}`,
  });
}

const MAX_SUMMARY = 16_000;
