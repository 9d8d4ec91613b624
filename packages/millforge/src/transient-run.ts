import type { Ids } from '@millforge/contracts';
import { MillforgeError, type RunResult } from '@millforge/contracts';
import { memoryOperationLog } from '@millforge/runtime';
import type { RunHandle } from './millforge.ts';
import { type RunParts, runOnLog } from './run-adapter.ts';
import { toTransientResult } from './run-result.ts';

/** Runs a plan without keeping anything: no driver, no file, nothing to resume. */
export function startTransientRun(
  parts: RunParts,
  options: { readonly ids: Ids; readonly timeoutMs?: number },
): RunHandle {
  const stopping = new AbortController();
  let isCancelled = false;
  const { timeoutMs } = options;
  const operations = memoryOperationLog({
    clock: parts.clock,
    ids: options.ids,
    signal: stopping.signal,
    ...(timeoutMs === undefined ? {} : { deadlineMs: timeoutMs }),
  });
  // Nobody reads the decisions of a run that nothing is kept of.
  const trail = { append() {} };
  const result = runOnLog(parts, { operations, trail }).then(
    (outcome) => toTransientResult(parts.runId, outcome),
    (error: unknown) => interrupted(parts, error, isCancelled),
  );
  return {
    runId: parts.runId,
    result,
    stop() {
      stopping.abort();
    },
    async cancel() {
      isCancelled = true;
      stopping.abort();
      await result;
    },
  };
}

function interrupted(parts: RunParts, error: unknown, isCancelled: boolean): RunResult {
  if (!MillforgeError.is(error) || error.code !== 'operation/suspended') throw error;
  const unavailable = unavailableMessage(error);
  const ended = {
    kind: 'run_outcome',
    schema_version: '1.0',
    terminal_result: null,
    terminal_node_id: null,
    disposition: null,
    summary: null,
    selected_output: null,
    plan_sha256: parts.plan.sha256,
    turns: 0,
    usage: {},
  } as const;
  if (isCancelled) {
    return toTransientResult(parts.runId, {
      ...ended,
      status: 'cancelled',
      failure_class: 'cancelled',
      failure_message: 'The run was cancelled.',
    });
  }
  const result = toTransientResult(parts.runId, {
    ...ended,
    status: 'failed',
    failure_class: unavailable === null ? null : 'model_unavailable',
    failure_message: unavailable,
  });
  return unavailable === null ? { ...result, status: 'interrupted' } : result;
}

function unavailableMessage(error: MillforgeError): string | null {
  const { details } = error;
  if (typeof details !== 'object' || details === null || !('reason' in details)) return null;
  if (details['reason'] !== 'unavailable') return null;
  const failure = details['failure'];
  if (typeof failure !== 'object' || failure === null || !('message' in failure)) return '';
  return String(failure['message']);
}
