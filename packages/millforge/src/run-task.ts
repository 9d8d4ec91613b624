import { resolve } from 'node:path';
import type { HarnessInput } from '@millforge/compiler';
import {
  type Diagnostic,
  type MillforgeError,
  type ModelProfileCatalog,
  type RunResult,
  toDiagnosticJson,
} from '@millforge/contracts';
import type { RunEvent } from '@millforge/runtime';
import { missingGrants } from './admit-run.ts';
import { createMillforge } from './create-millforge.ts';
import type { RunHandle } from './millforge.ts';
import { millforgeError } from './millforge-error.ts';
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
  /** The harness: its text in YAML or JSON, or the document. */
  readonly harness: HarnessInput;
  /** Capabilities granted; what is missing is named in the error. */
  readonly grants: readonly string[];
  /** Milliseconds that the run may work, waiting not counted; default 30 minutes. */
  readonly timeoutMs?: number;
  /** What to do with an interrupted call of unknown outcome; default `hold`. */
  readonly onAmbiguous?: 'hold' | 'retry';
  /** Suspends the run; an abort with the reason `{ cancel: true }` ends it for good. */
  readonly signal?: AbortSignal;
  /** Told what happens, as it happens. */
  readonly onEvent?: (event: RunEvent) => void;
}

/**
 * Compiles a harness and runs one task with it, durably unless `dataDir` is null.
 *
 * A run that is refused leaves nothing behind. Failures of model and tools are results.
 *
 * @throws `millforge/document` for a harness that does not compile, with the diagnostics as details;
 * `millforge/aborted` for a signal that was aborted beforehand; what {@link Millforge.run} throws;
 * `kernel/…` for a trail that cannot be kept.
 */
export async function runTask(options: RunTaskOptions): Promise<RunResult> {
  const { signal, timeoutMs, onAmbiguous, onEvent } = options;
  if (signal?.aborted === true) {
    throw millforgeError('millforge/aborted', 'The run was aborted before it began.', {
      cause: signal.reason,
    });
  }
  await using millforge = createMillforge(options);
  const compiled = millforge.compile(options.harness, {
    profiles: ANY_PROFILE,
    request: { grants: options.grants },
  });
  if (!compiled.ok) throw refusal(compiled.diagnostics);
  const run = await millforge.run({
    plan: { bytes: new TextDecoder().decode(compiled.bytes), sha256: compiled.sha256 },
    task: options.task,
    workspace: resolve(options.cwd),
    model: options.model,
    grants: options.grants,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(onAmbiguous === undefined ? {} : { onAmbiguous }),
    ...(onEvent === undefined ? {} : { onEvent }),
  });
  return signal === undefined ? await run.result : await runUnder(signal, run);
}

function refusal(diagnostics: readonly Diagnostic[]): MillforgeError {
  const missing = diagnostics.flatMap(({ code, fields = [] }) =>
    code === 'MF-C001'
      ? fields.filter(({ key }) => key === 'capability_id').map(({ value }) => String(value))
      : [],
  );
  if (missing.length > 0 && missing.length === diagnostics.length) return missingGrants(missing);
  const [first] = diagnostics;
  return millforgeError(
    'millforge/document',
    `The harness does not compile: ${first === undefined ? '' : `${first.code} ${first.message}`}`,
    { details: { diagnostics: diagnostics.map((diagnostic) => toDiagnosticJson(diagnostic)) } },
  );
}

async function runUnder(signal: AbortSignal, run: RunHandle): Promise<RunResult> {
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

// The caller hands the model over itself, so every profile name that a harness may state is it.
const ANY_PROFILE: ModelProfileCatalog = {
  snapshotId: '0'.repeat(64),
  snapshotSha256: '0'.repeat(64),
  resolveExact: (profileId) => ({ classification: 'found', entry: { profile_id: profileId } }),
};
