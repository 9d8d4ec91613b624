import { dirname, join } from 'node:path';
import {
  type ArtifactStore,
  type CompiledHarnessPlan,
  canonicalJson,
  type JsonValue,
} from '@millforge/contracts';
import { openArtifactFolder } from '@millforge/kernel/artifacts';
import { type AdmittedOutputs, admitOutputs } from '@millforge/runtime';
import { readRequestedPlan } from '../admit-run.ts';
import { askOutput, normalOutputs } from '../ask-output.ts';
import type { Millforge } from '../millforge.ts';
import { millforgeError } from '../millforge-error.ts';
import { nodeIds } from '../node-ids.ts';
import { assertSupportedPlatform } from '../platform.ts';
import type { RunHandle } from '../run-handle.ts';
import { runUnder } from '../run-under.ts';
import { assertBaseBinding } from './base-binding.ts';
import type { BaseComposition } from './base-composition.ts';
import { type BaseEvidence, baseEvidence } from './base-evidence.ts';
import type { OpenBaseOptions } from './base-options.ts';
import { composeBase } from './compose-base.ts';
import type { BaseRequest, MillforgeBase } from './millforge-base.ts';

/** What a base stands on. */
export interface BaseGround {
  /** Compiles and runs. */
  readonly millforge: Pick<Millforge, 'compile' | 'run' | 'trailPath'>;
  /** What this runs on. */
  readonly platform: NodeJS.Platform;
  /** Home of the user. */
  readonly home: string;
  /** Called when a request was found right, before its run is admitted. */
  readonly beforeRun?: () => Promise<void>;
  /** Called once at the end, when no run goes on any more. */
  readonly onClose?: () => Promise<void>;
}

/** Composes millforge-base on a Millforge. */
export async function openBase(
  ground: BaseGround,
  options: OpenBaseOptions,
): Promise<MillforgeBase> {
  assertSupportedPlatform(ground.platform);
  const { home = ground.home, artifacts } = options;
  const composition = await composeBase(ground.millforge, { ...options, home });
  const { trailPath } = ground.millforge;
  const runs = trailPath === null ? null : join(dirname(trailPath), 'runs');
  const starting = new Set<Promise<RunHandle>>();
  const active = new Set<RunHandle>();
  let closing: Promise<void> | null = null;

  const assertOpen = () => {
    if (closing === null) return;
    throw millforgeError('millforge/closed', 'This base was closed; create another.');
  };
  const close = async () => {
    for (const run of active) run.stop({ now: true });
    // A run that is being admitted stands on what is freed below.
    await Promise.allSettled(starting);
    await Promise.allSettled([...active].map(({ result }) => result));
    await ground.onClose?.();
  };
  const begin: MillforgeBase['start'] = async (request) => {
    const run = await ground.millforge.run(runRequest(request, composition));
    active.add(run);
    const forget = () => active.delete(run);
    run.result.then(forget, forget);
    // What was closed while the run was admitted has not seen it.
    if (closing !== null) run.stop({ now: true });
    const evidence = evidenceOf(composition, { ...request, runId: run.runId });
    await keepEvidence(evidence, run, { runs, artifacts, composition });
    return run;
  };
  const start: MillforgeBase['start'] = async (request) => {
    assertOpen();
    assertBaseBinding(request, composition);
    await ground.beforeRun?.();
    assertOpen();
    const begun = begin(request);
    starting.add(begun);
    const forget = () => starting.delete(begun);
    begun.then(forget, forget);
    return begun;
  };

  return {
    plan: composition.plan,
    grants: composition.grants,
    contextFiles: contextFiles(composition),
    diagnostics: composition.instructions.diagnostics,
    get isClosed() {
      return closing !== null;
    },
    start,
    async execute(request, { signal, onEvent } = {}) {
      assertOpen();
      if (signal?.aborted === true) {
        throw millforgeError('millforge/aborted', 'The run was aborted before it began.', {
          cause: signal.reason,
        });
      }
      const run = await start({ ...request, ...(onEvent === undefined ? {} : { onEvent }) });
      return runUnder(signal, run);
    },
    evidenceFor(request) {
      assertOpen();
      assertBaseBinding(request, composition);
      return evidenceOf(composition, request);
    },
    close() {
      closing ??= close();
      return closing;
    },
    [Symbol.asyncDispose]() {
      closing ??= close();
      return closing;
    },
  };
}

function runRequest(
  request: Parameters<MillforgeBase['start']>[0],
  { plan, cwd, model, grants }: BaseComposition,
): Parameters<Millforge['run']>[0] {
  const { task, runId, timeoutMs, onAmbiguous, onEvent, deltas, approvals, output } = request;
  return {
    plan,
    task,
    workspace: cwd,
    model,
    grants,
    ...(runId === undefined ? {} : { runId }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(onAmbiguous === undefined ? {} : { onAmbiguous }),
    ...(approvals === undefined ? {} : { approvals }),
    ...(output === undefined ? {} : { output }),
    ...(onEvent === undefined ? {} : { onEvent }),
    ...(deltas === undefined ? {} : { deltas }),
  };
}

function evidenceOf(composition: BaseComposition, request: BaseRequest): BaseEvidence {
  const { requestId = 'request.millforge-base', runId, output } = request;
  const asked =
    output === undefined
      ? {}
      : { outputs: readOutputs(readRequestedPlan(composition.plan), output) };
  return baseEvidence(composition, { requestId, runId, ...asked });
}

function readOutputs(plan: CompiledHarnessPlan, output: unknown): AdmittedOutputs {
  return admitOutputs(plan, normalOutputs(plan, askOutput(plan, output)));
}

async function keepEvidence(
  evidence: BaseEvidence,
  run: RunHandle,
  places: {
    readonly runs: string | null;
    readonly artifacts: ArtifactStore | undefined;
    readonly composition: BaseComposition;
  },
): Promise<void> {
  const { runs, artifacts, composition } = places;
  const text = canonicalJson(toJson(evidence));
  try {
    if (runs !== null) {
      const { runId } = run;
      const folder = openArtifactFolder({ directory: join(runs, runId), runId, ids: nodeIds() });
      await folder.write('evidence', Buffer.from(text), {
        mediaType: 'application/json',
        producer: 'millforge.base',
      });
    }
    for (const document of artifacts === undefined ? [] : [composition.plan.bytes, text]) {
      const bytes = new TextEncoder().encode(document);
      await artifacts?.put(bytes, { mediaType: 'application/json', maxBytes: bytes.length });
    }
  } catch (cause) {
    run.stop({ now: true });
    await run.result.catch(() => null);
    throw millforgeError(
      'millforge/export-failed',
      `The evidence of run ${run.runId} cannot be kept, so the run was suspended; make room, and resume it.`,
      { cause },
    );
  }
}

function contextFiles({ instructions, prompt }: BaseComposition): MillforgeBase['contextFiles'] {
  const { files, system, append } = instructions;
  const whole = [system, append].flatMap((file) =>
    file === null || !prompt.system_instructions.includes(file.content)
      ? []
      : [{ path: file.path, bytes: Buffer.byteLength(file.content), truncated: false }],
  );
  return [
    ...whole,
    ...files.map(({ path, included_byte_count: bytes, truncated }) => ({ path, bytes, truncated })),
  ];
}

function toJson(evidence: BaseEvidence): JsonValue {
  return { ...evidence };
}
