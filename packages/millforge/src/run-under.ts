import type { RunResult } from '@millforge/contracts';
import type { RunHandle } from './run-handle.ts';

/** Waits for a run; an abort suspends it, or ends it for good when the reason is `{ cancel: true }`. */
export async function runUnder(
  signal: AbortSignal | undefined,
  run: RunHandle,
): Promise<RunResult> {
  if (signal === undefined) return run.result;
  const onAbort = () => {
    if (!isCancel(signal.reason)) run.stop();
    // A run that ended meanwhile cannot be cancelled, and has its result.
    else run.cancel('aborted by the host').catch(() => run.stop());
  };
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await run.result;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function isCancel(reason: unknown): boolean {
  return (
    typeof reason === 'object' && reason !== null && 'cancel' in reason && reason.cancel === true
  );
}
