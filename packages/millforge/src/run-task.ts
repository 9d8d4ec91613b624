import { resolve } from 'node:path';
import type { ModelSetting } from '@millforge/cli';
import type { HarnessInput } from '@millforge/compiler';
import type { CapabilityGrant, RunResult } from '@millforge/contracts';
import type { ApprovalPolicy } from '@millforge/registry';
import type { RunEvent } from '@millforge/runtime';
import { compileForRun } from './compile-for-run.ts';
import { createMillforge } from './create-millforge.ts';
import { millforgeError } from './millforge-error.ts';
import type { MillforgeOptions } from './millforge-options.ts';
import { runUnder } from './run-under.ts';
import { type TaskRun, type TaskStart, taskRun } from './task-run.ts';

/** One task for one harness. */
export interface RunTaskOptions extends MillforgeOptions {
  /** What the model is asked to do. */
  readonly task: string;
  /** The workspace; relative paths start from the current directory. */
  readonly cwd: string;
  /** The model. */
  readonly model: ModelSetting;
  /**
   * The harness: its text in YAML or JSON, or the document. Default millforge-base, a coding agent that may
   * read, change and start everything, and follows the instruction files of the project.
   */
  readonly harness?: HarnessInput;
  /** Capabilities granted, by id or with constraints; what is missing is named in the error. */
  readonly grants: readonly (string | CapabilityGrant)[];
  /** What becomes of calls that somebody may have to agree to; default, what the tools ask for is declined. */
  readonly approvals?: ApprovalPolicy;
  /** Milliseconds that the run may work, waiting not counted; default 30 minutes. */
  readonly timeoutMs?: number;
  /** What to do with an interrupted call of unknown outcome; default `hold`. */
  readonly onAmbiguous?: 'hold' | 'retry';
  /** Suspends the run; an abort with the reason `{ cancel: true }` ends it for good. */
  readonly signal?: AbortSignal;
  /**
   * Schema of a structured result: JSON Schema, or a schema of a library that gives one. Every terminal
   * that is a success then has to bring it; the result has it as `selected_output`.
   */
  readonly output?: unknown;
  /** Told what happens, as it happens. */
  readonly onEvent?: (event: RunEvent) => void;
  /** Whether events tell of replies while they are written, from a model with `stream: true`. Default false. */
  readonly deltas?: boolean;
}

/**
 * Compiles a harness and runs one task with it, durably unless `dataDir` is null.
 *
 * Await it for the result, or iterate it for the events. A run that is refused leaves nothing behind.
 * Failures of model and tools are results.
 *
 * @throws `millforge/document` for a harness that does not compile, with the diagnostics as details;
 * `millforge/aborted` for a signal that was aborted beforehand; what {@link Millforge.run} throws;
 * `kernel/…` for a trail that cannot be kept.
 */
export function runTask(options: RunTaskOptions): TaskRun {
  return taskRun((start) => carryOut(options, start));
}

async function carryOut(options: RunTaskOptions, start: TaskStart): Promise<RunResult> {
  const { signal, timeoutMs, onAmbiguous, onEvent, deltas, approvals, output } = options;
  if (signal?.aborted === true) {
    throw millforgeError('millforge/aborted', 'The run was aborted before it began.', {
      cause: signal.reason,
    });
  }
  const limits = {
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(onAmbiguous === undefined ? {} : { onAmbiguous }),
    ...(approvals === undefined ? {} : { approvals }),
    ...(output === undefined ? {} : { output }),
    ...(deltas === undefined ? {} : { deltas }),
    onEvent(event: RunEvent) {
      onEvent?.(event);
      start.tell(event);
    },
  };
  const { task, model, grants, harness } = options;
  const workspace = resolve(options.cwd);
  await using millforge = createMillforge(options);
  if (harness === undefined) {
    // The base is unrestricted: a grant with constraints is none that it could use.
    const unbounded = grants.filter((grant) => typeof grant === 'string');
    const base = await millforge.openBase({ cwd: workspace, model, grants: unbounded });
    const run = await base.start({ task, ...limits });
    start.begun(run);
    return await runUnder(signal, run);
  }
  const plan = compileForRun(millforge, harness, grants);
  const run = await millforge.run({
    plan,
    task,
    workspace,
    model,
    grants,
    ...limits,
  });
  start.begun(run);
  return await runUnder(signal, run);
}
