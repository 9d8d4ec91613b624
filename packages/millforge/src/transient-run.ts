import { type Ids, MillforgeError, type RunOutcome, type RunResult } from '@millforge/contracts';
import { memoryOperationLog } from '@millforge/runtime';
import { type RunParts, runOnLog } from './run-adapter.ts';
import type { RunHandle } from './run-handle.ts';
import { toTransientResult } from './run-result.ts';
import { steerHandle } from './steer-handle.ts';

/** Runs a plan without keeping anything: no driver, no file, nothing to resume. */
export function startTransientRun(
  parts: RunParts,
  options: {
    /** Source of fresh names. */
    readonly ids: Ids;
    /** Model turns that the plan allows. */
    readonly limit: number;
    /** Milliseconds that the run may work. */
    readonly timeoutMs: number;
  },
): RunHandle {
  const stopping = new AbortController();
  let cancelled: string | null = null;
  const operations = memoryOperationLog({
    clock: parts.clock,
    ids: options.ids,
    signal: stopping.signal,
    deadlineMs: options.timeoutMs,
  });
  // Nobody reads the decisions of a run that nothing is kept of.
  const trail = { append() {} };
  // Whoever gets the handle may speak to the run before its first turn.
  const begun = new Promise((resolve) => setImmediate(resolve));
  const running = begun.then(() => runOnLog(parts, { operations, trail }));
  const result = running.then(
    (outcome) => toTransientResult(parts.runId, outcome, options.limit),
    (error: unknown) => suspendedResult(parts, error, { cancelled, limit: options.limit }),
  );
  return {
    runId: parts.runId,
    result,
    ...steerHandle(parts.steering, result),
    // There is nothing to come back to, so a stop after the current operation would save nothing.
    stop() {
      stopping.abort();
    },
    async cancel(reason) {
      cancelled ??= reason;
      stopping.abort();
      await result;
    },
  };
}

function suspendedResult(
  parts: RunParts,
  error: unknown,
  { cancelled, limit }: { readonly cancelled: string | null; readonly limit: number },
): RunResult {
  if (!MillforgeError.is(error, 'operation/suspended')) throw error;
  const suspension = readSuspension(error);
  const outcome: RunOutcome = {
    kind: 'run_outcome',
    schema_version: '1.0',
    status: 'failed',
    failure_class: null,
    failure_message: null,
    terminal_result: null,
    terminal_node_id: null,
    disposition: null,
    summary: null,
    selected_output: null,
    partial_work: null,
    plan_sha256: parts.plan.sha256,
    turns: 0,
    usage: {},
  };
  const toResult = (changes: Partial<RunOutcome>) =>
    toTransientResult(parts.runId, { ...outcome, ...changes }, limit);
  if (cancelled !== null) {
    return toResult({
      status: 'cancelled',
      failure_class: 'cancelled',
      failure_message: `The run was cancelled: ${cancelled}`,
    });
  }
  switch (suspension.reason) {
    case 'unavailable':
      return toResult({ failure_class: 'model_unavailable', failure_message: suspension.message });
    case 'held':
      // A run in memory cannot wait for a person: what is in doubt ends it.
      return toResult({ failure_class: 'tool_failed', failure_message: suspension.message });
    default:
      return { ...toResult({}), status: 'interrupted' };
  }
}

function readSuspension({ details }: MillforgeError): {
  readonly reason: string;
  readonly message: string | null;
} {
  if (typeof details !== 'object' || details === null || !('reason' in details)) {
    return { reason: 'stopped', message: null };
  }
  const { reason, failure } = details;
  const message =
    typeof failure === 'object' && failure !== null && 'message' in failure
      ? failure['message']
      : null;
  return {
    reason: typeof reason === 'string' ? reason : 'stopped',
    message: typeof message === 'string' ? message : null,
  };
}
