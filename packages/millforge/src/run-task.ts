import { resolve } from 'node:path';
import { MillforgeError, type ModelProfileCatalog, type RunResult } from '@millforge/contracts';
import type { RunEvent } from '@millforge/runtime';
import { createMillforge } from './create-millforge.ts';
import type { MillforgeOptions } from './millforge-options.ts';
import type { ModelSetting } from './model-setting.ts';

/** One task for one harness. */
export interface RunTaskOptions extends MillforgeOptions {
  /** What the model is asked to do. */
  readonly task: string;
  /** The workspace; relative paths start from the current directory. */
  readonly cwd: string;
  /** The model. */
  readonly model: ModelSetting;
  /** The harness: its text in YAML, or the document. */
  readonly harness: string;
  /** Capabilities granted; what is missing is named in the error. */
  readonly grants: readonly string[];
  /** Milliseconds that the run may work; default 30 minutes. */
  readonly timeoutMs?: number;
  /** Suspends the run; a reason `{ cancel: true }` ends it for good. */
  readonly signal?: AbortSignal;
  /** Told what happens, as it happens. */
  readonly onEvent?: (event: RunEvent) => void;
}

/**
 * Compiles a harness and runs one task with it, durably unless `dataDir` is null.
 *
 * @throws `millforge/document` for a harness that does not compile, with the diagnostics as details;
 * `millforge/usage` for a workspace that is not there; `kernel/…` for a trail that cannot be kept.
 */
export async function runTask(options: RunTaskOptions): Promise<RunResult> {
  await using millforge = createMillforge(options);
  const compiled = millforge.compile(options.harness, {
    profiles: ANY_PROFILE,
    request: { grants: options.grants },
  });
  if (!compiled.ok) {
    const [first] = compiled.diagnostics;
    throw new MillforgeError(
      'millforge/document',
      `The harness does not compile: ${first === undefined ? '' : `${first.code} ${first.message}`}`,
      { details: { diagnostics: JSON.parse(JSON.stringify(compiled.diagnostics)) } },
    );
  }
  const run = await millforge.run({
    plan: { bytes: new TextDecoder().decode(compiled.bytes), sha256: compiled.sha256 },
    task: options.task,
    workspace: resolve(options.cwd),
    model: options.model,
    grants: options.grants,
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
    ...(options.onEvent === undefined ? {} : { onEvent: options.onEvent }),
  });
  const { signal } = options;
  const onAbort = () => {
    if (isCancel(signal?.reason)) void run.cancel('aborted by the host').catch(() => run.stop());
    else run.stop();
  };
  if (signal?.aborted === true) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await run.result;
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}

function isCancel(reason: unknown): boolean {
  return (
    typeof reason === 'object' && reason !== null && 'cancel' in reason && reason.cancel === true
  );
}

// The caller hands the model over itself, so every profile name that a harness may state is it.
const ANY_PROFILE: ModelProfileCatalog = {
  snapshotId: '0'.repeat(64),
  snapshotSha256: '0'.repeat(64),
  resolveExact: (profileId) => ({ classification: 'found', entry: { profile_id: profileId } }),
};
