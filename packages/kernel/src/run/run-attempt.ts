import { deepFreeze, type OperationLog } from '@millforge/contracts';
import type { TaskContext } from '../adapter.ts';
import { saveArtifact } from '../artifacts/save-artifact.ts';
import type { Transaction } from '../sqlite/database.ts';
import { readOperations } from '../store/operation-row.ts';
import { createDurableLog, type DurableLog } from './durable-log.ts';
import type { LogParts } from './log-parts.ts';
import { createRunControl, type RunControl } from './run-control.ts';
import type { AttemptRequest, RunParts, RunRequest } from './run-parts.ts';
import { type Ended, settleAttempt } from './settle-attempt.ts';

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
    return await settleAttempt({ parts: logParts, run: parts, attempt, log }, ended);
  } finally {
    release();
    control.end();
  }
}

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
  const awaited = await control.untilAbandoned(running());
  await control.idle();
  return awaited.kind === 'ended' ? awaited.value : { kind: 'given-up' };
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

function readNotes(tx: Transaction, { claim }: LogParts): ReadonlyMap<string, string> {
  const rows = tx.all(
    'SELECT key, note_sha256 FROM notes WHERE goal = ? AND tenant = ? AND task_id = ?',
    claim.goal,
    claim.tenant,
    claim.taskId,
  );
  return new Map(rows.map((row) => [String(row['key']), String(row['note_sha256'])]));
}
