import {
  deepFreeze,
  digest,
  type FailureClass,
  type JsonValue,
  MillforgeError,
  type OperationLog,
} from '@millforge/contracts';
import type { TaskContext } from '../adapter.ts';
import { saveArtifact } from '../artifacts/save-artifact.ts';
import type { Transaction } from '../sqlite/database.ts';
import { bindingSha256 } from '../store/admit-goal.ts';
import {
  failAttempt,
  recordResult,
  type Suspension,
  suspendAttempt,
} from '../store/end-attempt.ts';
import { readOperations } from '../store/operation-row.ts';
import { type Payload, toPayload } from '../store/payloads.ts';
import { createDurableLog, type DurableLog } from './durable-log.ts';
import { holdDivergence } from './hold-divergence.ts';
import type { LogParts } from './log-parts.ts';
import { refuseResult } from './refuse-result.ts';
import { type Closing, createRunControl, type RunControl } from './run-control.ts';
import type { AttemptRequest, RunParts, RunRequest } from './run-goal.ts';
import { failureOf } from './settle-act.ts';

/** Runs one attempt to its end or its suspension; tells whether the goal can go on at once. */
export async function runAttempt(
  parts: RunParts,
  request: RunRequest,
  attempt: AttemptRequest,
): Promise<boolean> {
  const { clock, db, owner } = parts;
  const { claim, contract, task } = attempt;
  const control = createRunControl({
    clock,
    elapsedMs: attempt.elapsedMs,
    limitMs: Math.min(task.timeout_ms, contract.limits.wall_ms ?? task.timeout_ms),
    graceMs: parts.graceMs,
  });
  const release = owner.keep({
    claim,
    leaseMs: task.lease_ms,
    elapsedMs: control.elapsedMs,
    onLost: (reason) => control.abort(reason),
  });
  request.stop.onStop((how) => {
    if (how === 'soon') control.close('stopped');
    else control.abort(how === 'now' ? 'stopped' : 'cancelled');
  });
  try {
    const logParts: LogParts = {
      ...parts,
      claim,
      control,
      taskEffect: task.effect,
      onAmbiguous: contract.on_ambiguous,
      admittedBy: attempt.admittedBy,
    };
    const recorded = await db.read((tx) => ({
      rows: readOperations(tx, claim, claim.taskId),
      notes: readNotes(tx, logParts),
    }));
    const log = createDurableLog(logParts, recorded);
    const ended = await runProgram(parts, { log, control, attempt });
    return await endAttempt({ parts: logParts, run: parts, attempt, log }, ended);
  } finally {
    release();
    control.end();
  }
}

/** How the program came to its end, if it did. */
type Ended =
  | { readonly kind: 'returned'; readonly output: JsonValue }
  | { readonly kind: 'threw'; readonly error: unknown }
  /** It was told to end and did not within the grace. */
  | { readonly kind: 'given-up' };

/** Runs the host's code, and waits for it no longer than the grace of a stop or a deadline. */
async function runProgram(
  parts: RunParts,
  run: { readonly log: DurableLog; readonly control: RunControl; readonly attempt: AttemptRequest },
): Promise<Ended> {
  const { control, attempt } = run;
  const context = contextOf(parts, run);
  const running = async (): Promise<Ended> => {
    try {
      return { kind: 'returned', output: await attempt.adapter.run(context) };
    } catch (error) {
      return { kind: 'threw', error };
    }
  };
  const ended = await Promise.race([
    running(),
    control.abandoned.then((): Ended => ({ kind: 'given-up' })),
  ]);
  await control.idle();
  return ended;
}

function contextOf(
  parts: RunParts,
  {
    log,
    control,
    attempt,
  }: { readonly log: DurableLog; readonly control: RunControl; readonly attempt: AttemptRequest },
): TaskContext {
  const { claim, contract, task } = attempt;
  const perform: OperationLog['perform'] = (operation, act) => log.perform(operation, act);
  return Object.freeze({
    goalId: contract.goal_id,
    taskId: task.task_id,
    objective: contract.objective,
    inputs: deepFreeze(contract.inputs),
    deadline: parts.clock.now() + control.limitMs - control.elapsedMs(),
    signal: control.programSignal,
    perform,
    newId: log.newId,
    log: log.append,
    saveArtifact: (
      bytes: Parameters<TaskContext['saveArtifact']>[0],
      options: Parameters<TaskContext['saveArtifact']>[1],
    ) => saveArtifact(parts, { claim, bytes, options, limit: contract.limits.artifact_bytes }),
  });
}

interface Ending {
  readonly parts: LogParts;
  readonly run: RunParts;
  readonly attempt: AttemptRequest;
  readonly log: DurableLog;
}

/** Settles an attempt by how its program ended and by what closed the log. */
async function endAttempt(ending: Ending, ended: Ended): Promise<boolean> {
  const { parts, log } = ending;
  const { control } = parts;
  const fault = control.fault();
  if (fault !== null) throw fault.error;
  const closing = control.closing();
  if (closing !== null) return endClosed(ending, closing, ended);
  const difference = log.endDifference();
  if (difference !== null) {
    await holdDivergence(parts, difference);
    await suspend(ending, { reason: 'held', failure: null });
    return false;
  }
  switch (ended.kind) {
    case 'returned':
      return recordOutput(ending, ended.output);
    case 'given-up':
      return fail(ending, {
        code: 'timeout',
        message: 'The time of the attempt was used up, and its program did not end.',
      });
    case 'threw': {
      const { code, message } = failureOf(ended.error);
      const isOurs = MillforgeError.is(ended.error);
      return fail(ending, {
        code: isOurs ? code : 'adapter-threw',
        message: parts.redactor.text(message),
      });
    }
  }
}

async function endClosed(ending: Ending, closing: Closing, ended: Ended): Promise<boolean> {
  const { parts } = ending;
  switch (closing.reason) {
    case 'cancelled':
    case 'lease-lost':
      // What came too late is evidence, and changes nothing.
      if (ended.kind === 'returned') {
        const payload = outputOf(ended.output);
        if (payload !== null) {
          await refuseResult(parts, { key: null, outcome: 'done', payload });
        }
      }
      if (closing.reason === 'cancelled') return false;
      throw new MillforgeError(
        'kernel/lease-lost',
        'Another process took this goal over while this one was silent; it goes on there.',
      );
    case 'stopped':
    case 'unavailable':
    case 'held':
      await suspend(ending, closing);
      return false;
  }
}

async function suspend({ parts }: Ending, closing: Closing): Promise<void> {
  const { claim, clock, control, db } = parts;
  const suspension = suspensionOf(parts, closing);
  try {
    await db.write('suspend-attempt', (tx) =>
      suspendAttempt(tx, claim, { suspension, elapsedMs: control.elapsedMs(), now: clock.now() }),
    );
  } catch (error) {
    // Cancelled or taken over in the meantime: there is nothing left to let go.
    if (!MillforgeError.is(error, 'operation/suspended')) throw error;
  }
}

function suspensionOf({ redactor }: LogParts, { reason, failure, kind }: Closing): Suspension {
  const by = reason === 'unavailable' || reason === 'held' ? reason : 'stopped';
  return {
    by,
    failureClass: by === 'unavailable' ? UNAVAILABLE[kind ?? 'model'] : null,
    code: failure?.code ?? null,
    message: failure === null ? null : redactor.text(failure.message),
  };
}

async function fail(
  { parts, attempt }: Ending,
  failure: { readonly code: string; readonly message: string },
): Promise<boolean> {
  const { claim, clock, control, db } = parts;
  const elapsedMs = control.elapsedMs();
  const maxAttempts = attempt.task.max_attempts;
  await db.write('fail-attempt', (tx) =>
    failAttempt(tx, claim, { ...failure, elapsedMs, maxAttempts, now: clock.now() }),
  );
  return true;
}

async function recordOutput(ending: Ending, value: JsonValue): Promise<boolean> {
  const { parts, attempt, log, run } = ending;
  const { claim, clock, control, db } = parts;
  const output = outputOf(value);
  if (output === null) {
    return fail(ending, {
      code: 'output-invalid',
      message: 'The output is not JSON, or larger than 1 MiB.',
    });
  }
  const { contract, task } = attempt;
  const notes = log.takeNotes();
  const elapsedMs = control.elapsedMs();
  const receiptId = run.ids.newId('receipt');
  try {
    await db.write('record-result', (tx) =>
      recordResult(tx, claim, {
        output,
        bindingSha256: bindingSha256(task.adapter),
        inputSha256: digest(contract.inputs),
        receiptId,
        admittedAt: attempt.admittedAt,
        elapsedMs,
        notes,
        now: clock.now(),
      }),
    );
  } catch (error) {
    if (!MillforgeError.is(error, 'operation/suspended')) throw error;
    await refuseResult(parts, { key: null, outcome: 'done', payload: output });
    return true;
  }
  return true;
}

function outputOf(value: JsonValue): Payload | null {
  try {
    const payload = toPayload(value);
    return payload.text.length <= MAX_OUTPUT_BYTES ? payload : null;
  } catch (error) {
    if (MillforgeError.is(error)) return null;
    throw error;
  }
}

function readNotes(tx: Transaction, { claim }: LogParts): ReadonlyMap<string, string> {
  const rows = tx.all(
    'SELECT key, note_sha256 FROM notes WHERE goal = ? AND tenant = ? AND task_id = ?',
    claim.goal,
    claim.tenant,
    claim.taskId,
  );
  return new Map(rows.map((row) => [String(row['key']), String(row['note_sha256'])]));
}

const UNAVAILABLE = {
  model: 'model_unavailable',
  tool: 'tool_failed',
  read: 'tool_failed',
} as const satisfies { readonly [kind: string]: FailureClass };
const MAX_OUTPUT_BYTES = 1_048_576;
