import {
  deepFreeze,
  type JsonObject,
  type JsonValue,
  MillforgeError,
  type OperationLog,
} from '@millforge/contracts';
import type { Adapter, TaskContext } from '../adapter.ts';
import { saveArtifact } from '../artifacts/save-artifact.ts';
import { checkNameOf } from '../contract/read-goal-contract.ts';
import { attemptKey, attemptName, isInDoubt } from '../store/attempt-rules.ts';
import { createVerdictIssuer, type VerdictIssuer } from '../verified-result.ts';
import { confirmLease } from './confirm-lease.ts';
import { createDurableLog, type DurableLog } from './durable-log.ts';
import type { LogParts } from './log-parts.ts';
import { createRunControl, type RunControl } from './run-control.ts';
import type { AttemptRequest, RunParts, RunRequest } from './run-parts.ts';
import { type Ended, outputOf, settleAttempt } from './settle-attempt.ts';
import { suspendReason } from './suspended-by.ts';

/** Runs one attempt to its end or its suspension; tells whether the goal can go on at once. */
export async function runAttempt(
  parts: RunParts,
  request: RunRequest,
  attempt: AttemptRequest,
): Promise<boolean> {
  const { clock, owner, store } = parts;
  const { claim, contract, task } = attempt;
  const wallMs = contract.limits.wall_ms;
  const control = createRunControl({
    clock,
    elapsedMs: attempt.elapsedMs,
    limitMs:
      wallMs === null
        ? task.timeout_ms
        : Math.min(task.timeout_ms, Math.max(0, wallMs - attempt.othersElapsedMs)),
    graceMs: parts.graceMs,
  });
  const release = owner.keep({
    claim,
    leaseMs: task.lease_ms,
    elapsedMs: control.elapsedMs,
    onLost: (reason) => control.abort(reason),
  });
  const leave = request.stop.onStop((how) => {
    if (how !== 'soon') control.abort(how === 'now' ? 'stopped' : 'cancelled');
    // What would be in doubt is waited for, unless somebody says now.
    else if (!isInDoubt(task)) control.close('stopped');
  });
  try {
    const logParts: LogParts = {
      ...parts,
      claim,
      control,
      taskEffect: task.effect,
      observedLimits: contract.observed_limits ?? null,
      onAmbiguous: contract.on_ambiguous,
      admittedBy: attempt.admittedBy,
      watch: attempt.watch,
    };
    const loaded = await store.attempts.load(claim, { contract, task });
    const log = createDurableLog(logParts, loaded);
    const verdicts = createVerdictIssuer({
      check: checkNameOf(task),
      goal_uid: claim.goalUid,
      contract_sha256: loaded.contractSha256,
      input_sha256: loaded.inputSha256,
    });
    const ending = { parts: logParts, run: parts, attempt, log, verdicts };
    const refused = await begin(logParts, task);
    if (refused !== null) return await settleAttempt(ending, refused);
    const ended = await runProgram(parts, { ...ending, control, outputs: loaded.outputs });
    return await settleAttempt(ending, ended);
  } finally {
    leave();
    release();
    control.end();
  }
}

/** What the host's code is run with. */
interface Program {
  readonly log: DurableLog;
  readonly control: RunControl;
  readonly attempt: AttemptRequest;
  readonly verdicts: VerdictIssuer;
  readonly outputs: JsonObject;
  readonly parts: LogParts;
}

/** Marks an attempt that is in doubt as a whole as begun; whoever lost it meanwhile enters no callback. */
async function begin(
  { store, claim, control }: LogParts,
  { doubt }: AttemptRequest['task'],
): Promise<Ended | null> {
  try {
    // The heartbeat began with the attempt, and says nothing of the time since the claim.
    await (doubt === 'attempt' ? store.attempts.begin(claim) : store.attempts.confirm(claim));
    return control.closing() === null ? null : NOT_BEGUN;
  } catch (error) {
    return notBegun(control, error);
  }
}

/** Ends an attempt before its callback, since its lease was lost or its goal cancelled; passes other errors on. */
function notBegun(control: RunControl, error: unknown): Ended {
  if (!MillforgeError.is(error, 'operation/suspended')) throw error;
  control.abort(suspendReason(error) === 'cancelled' ? 'cancelled' : 'lease-lost');
  return NOT_BEGUN;
}

const NOT_BEGUN: Ended = { kind: 'not-begun' };

/** Runs the host's code, and waits for it no longer than the grace of a stop or a deadline. */
async function runProgram(parts: RunParts, program: Program): Promise<Ended> {
  const { control, attempt } = program;
  const context = contextOf(parts, program);
  const confirming = confirmLease(program.parts);
  if (confirming !== null) {
    const lost = await confirming.then(
      () => null,
      (error: unknown) => notBegun(control, error),
    );
    if (lost !== null) return lost;
  }
  const running = async (): Promise<Ended> => {
    try {
      return { kind: 'returned', output: await call(attempt.adapter, context, program.verdicts) };
    } catch (error) {
      return { kind: 'threw', error };
    }
  };
  const work = running();
  if (attempt.task.doubt === 'attempt') {
    parts.unsettled.watch(attemptName(attempt.claim, attempt.claim.number), work);
  }
  const awaited = await control.untilAbandoned(work);
  await control.idle();
  program.log.close();
  if (awaited.kind === 'ended') return awaited.value;
  if (attempt.task.doubt === 'attempt') keepLate(program, work);
  return { kind: 'given-up' };
}

/** Keeps what a callback that was given up ends with as evidence. */
function keepLate({ parts }: Program, work: Promise<Ended>): void {
  const keep = async (): Promise<void> => {
    const late = await work;
    const payload = late.kind === 'returned' ? outputOf(late.output) : null;
    if (payload === null) return;
    await parts.store.attempts.keepLate(parts.claim, { key: null, outcome: 'done', payload });
  };
  keep().catch((error: unknown) => {
    // The kernel may be closed by then, and there is nobody left to tell.
    if (!MillforgeError.is(error)) throw error;
  });
}

/** Calls the adapter by its kind: only a verify adapter can make a verdict. */
async function call(
  adapter: Adapter,
  context: TaskContext,
  verdicts: VerdictIssuer,
): Promise<unknown> {
  if (adapter.kind !== 'verify') return adapter.run(context);
  return adapter.run(
    Object.freeze({
      ...context,
      verdict: (kind: 'pass' | 'fail', { evidence }: { readonly evidence: JsonValue }) =>
        verdicts.issue(kind, evidence),
    }),
  );
}

function contextOf(parts: RunParts, { log, control, attempt, outputs }: Program): TaskContext {
  const { claim, contract, task } = attempt;
  const perform: OperationLog['perform'] = (operation, act) => log.perform(operation, act);
  return Object.freeze({
    goalId: contract.goal_id,
    taskId: task.task_id,
    attempt: claim.number,
    objective: contract.objective,
    inputs: deepFreeze(contract.inputs),
    outputs,
    idempotencyKey: attemptKey(claim, claim.generation),
    deadline: parts.clock.now() + control.limitMs - control.elapsedMs(),
    signal:
      task.doubt === 'attempt'
        ? AbortSignal.any([control.programSignal, control.actSignal])
        : control.programSignal,
    perform,
    newId: log.newId,
    isRecorded: log.isRecorded,
    log: log.append,
    saveArtifact: (
      bytes: Parameters<TaskContext['saveArtifact']>[0],
      options: Parameters<TaskContext['saveArtifact']>[1],
    ) => saveArtifact(parts, { claim, bytes, options, limit: contract.limits.artifact_bytes }),
  });
}
