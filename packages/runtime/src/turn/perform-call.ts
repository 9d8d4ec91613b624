import {
  type ActResult,
  type JsonValue,
  type MillforgeError,
  type Operation,
  type OperationOutcome,
  operationFailed,
  operationRefused,
  operationUnavailable,
  operationUncertain,
  type ToolOutcome,
  unreachable,
} from '@millforge/contracts';
import type {
  CallRecord,
  CheckedCall,
  ExecutedCall,
  PreparedCall,
  RefusedCall,
} from '@millforge/registry';
import { describeCall } from '../describe-call.ts';
import { endRefused, type RunEnding } from '../run-ending.ts';
import type { Run } from '../run-state.ts';
import type { CallPlace } from './call-place.ts';
import { callRecord, plainOutcome, recordedOutcome } from './call-record.ts';
import { keepImages } from './result-images.ts';

/** What a call came to: an outcome for the model, or the end of the run. */
export type PerformedCall =
  | { readonly kind: 'outcome'; readonly outcome: ToolOutcome }
  | {
      readonly kind: 'ending';
      readonly ending: RunEnding;
      /** Why the log refused the call. */
      readonly code: string;
      readonly message: string;
    };

/** One admitted call as an operation, until its outcome is known. */
export interface CallInFlight {
  readonly run: Run;
  readonly place: CallPlace;
  readonly checked: CheckedCall;
  /** One line for a person. */
  readonly describe: string;
  /** What the tool has looked at the world with, from that to the end of its act. */
  prepared: PreparedCall | null;
  /** On the monotonic clock; null as long as the tool was not spoken to. */
  startedAt: number | null;
}

/** Begins a call; `freeCall` is to be called whatever comes of its operation. */
export function beginCall(run: Run, place: CallPlace, checked: CheckedCall): CallInFlight {
  const describe = run.redact(describeCall(place.tool, checked.input));
  return { run, place, checked, describe, prepared: null, startedAt: null };
}

/** The operation that the log is asked for. */
export function callOperation(call: CallInFlight): Operation<CallRecord> {
  const { place, checked, describe } = call;
  const operation: Operation<CallRecord> = {
    key: `tool/${place.turn}/${place.index}`,
    step: place.turn,
    kind: 'tool',
    subject: place.tool,
    effect: checked.effect,
    repeat: checked.repeat,
    metered: false,
    input: { tool: place.tool, binding: checked.binding, arguments: checked.input },
    describe,
    before(signal) {
      if (call.startedAt === null) emitStarted(call, false);
      return look(call, signal);
    },
  };
  return checked.reconcile === undefined
    ? operation
    : { ...operation, reconcile: (context) => reconcile(checked, context) };
}

/** Frees what was prepared, if anything is; null when there is nothing to wait for. */
export function freeCall(call: CallInFlight): Promise<void> | null {
  const { prepared } = call;
  if (prepared === null) return null;
  call.prepared = null;
  return Promise.resolve(prepared[Symbol.asyncDispose]());
}

/** What the recorded outcome of a call comes to. */
export function endCall(call: CallInFlight, outcome: OperationOutcome<CallRecord>): PerformedCall {
  const { run, place } = call;
  const { replayed } = outcome;
  const performed = interpret(run, outcome);
  if (performed.kind === 'ending') {
    const { code, message } = performed;
    run.observer.emit({ kind: 'call-refused', ...place, replayed, code, message });
    return performed;
  }
  if (call.startedAt === null) emitStarted(call, replayed);
  if (run.observer.hears(replayed)) {
    const { status, error_code, text } = performed.outcome;
    const { startedAt } = call;
    run.observer.emit({
      kind: 'call-ended',
      ...place,
      replayed,
      status,
      errorCode: error_code,
      text,
      elapsedMs: startedAt === null ? null : run.options.clock.monotonicMs() - startedAt,
    });
  }
  run.observer.rethrow();
  return performed;
}

function emitStarted(call: CallInFlight, replayed: boolean): void {
  const { run, place, describe } = call;
  if (!replayed) call.startedAt = run.options.clock.monotonicMs();
  if (!run.observer.hears(replayed)) return;
  run.observer.emit({ kind: 'call-started', ...place, replayed, describe });
}

type Context = Parameters<PreparedCall['run']>[0];

/** Performs a call that has looked at the world: the act of its operation. */
export async function actCall(
  call: CallInFlight,
  context: Context,
): Promise<ActResult<CallRecord>> {
  const { run } = call;
  // A prepared call acts once: a repeat looks at the world again.
  const prepared = call.prepared ?? keep(call, await call.checked.prepare(context));
  if (prepared.kind === 'refused') {
    if (isStopped(prepared.outcome) && context.signal.aborted) throw unperformed(prepared);
    throw operationFailed(reasonOf(prepared));
  }
  try {
    const executed = await prepared.run(watched(call, context));
    const { outcome, after } = executed;
    assertRecordable(call, executed, context);
    const kept =
      outcome.images === undefined ? outcome : await keepImages(outcome, run.options.artifacts);
    const value = callRecord({ trace: executed.trace, outcome: kept });
    const isFrozen = executed.isFrozen === true && kept === outcome;
    return after === undefined
      ? { value, usage: ONE_CALL, isFrozen }
      : { value, usage: ONE_CALL, isFrozen, after };
  } finally {
    await freeCall(call);
  }
}

const ONE_CALL = Object.freeze({ tool_calls: 1 });

/** Throws for an outcome that is not to be recorded as what the call came to. */
function assertRecordable(
  { run, checked }: CallInFlight,
  executed: ExecutedCall,
  context: Context,
): void {
  const { outcome } = executed;
  const hasEffect = checked.effect === 'write' || checked.effect === 'external';
  if (hasEffect && outcome.certainty === 'completion_unknown') {
    throw operationUncertain({
      code: outcome.error_code ?? 'ambiguous_side_effect',
      message: outcome.text,
      data: callRecord(executed),
    });
  }
  if (isStopped(outcome)) {
    // Known to have had no effect, so a stop leaves no record and a resumed run performs it. What is
    // known about an effect is kept: a command that was ended halfway has happened.
    if (!hasEffect) context.signal.throwIfAborted();
    const hasHappened = outcome.certainty === 'confirmed_complete';
    if (run.options.operations.signal.aborted && !hasHappened) throw unperformed(executed);
  }
}

/** Where somebody listens, a call is asked to say how far it is. */
function watched({ run, place }: CallInFlight, context: Context): Context {
  if (run.options.onEvent === undefined) return context;
  const { signal, idempotencyKey } = context;
  return {
    signal,
    idempotencyKey,
    onUpdate(text) {
      if (text === '') return;
      run.observer.emit({ kind: 'call-updated', ...place, replayed: false, text });
    },
  };
}

function isStopped({ error_code }: ToolOutcome): boolean {
  return error_code === 'cancelled' || error_code === 'timeout';
}

function unperformed({ outcome }: ExecutedCall | RefusedCall): MillforgeError {
  return operationUnavailable({ code: outcome.error_code ?? 'cancelled', message: outcome.text });
}

/** Prepares a call and gives the evidence of the state before; throws the refusal that is to be recorded. */
function look(call: CallInFlight, signal: AbortSignal): Promise<JsonValue | null> | null {
  if (call.prepared !== null) return lookAgain(call, signal);
  const prepared = call.checked.prepare({ signal });
  if (!('kind' in prepared) || prepared.kind === 'refused' || prepared.before !== null) {
    return lookedAt(call, prepared, signal);
  }
  call.prepared = prepared;
  return null;
}

async function lookAgain(call: CallInFlight, signal: AbortSignal): Promise<JsonValue | null> {
  await freeCall(call);
  return lookedAt(call, call.checked.prepare({ signal }), signal);
}

async function lookedAt(
  call: CallInFlight,
  preparing: ReturnType<CheckedCall['prepare']>,
  signal: AbortSignal,
): Promise<JsonValue | null> {
  const prepared = keep(call, await preparing);
  if (prepared.kind === 'prepared') return prepared.before;
  if (isStopped(prepared.outcome)) signal.throwIfAborted();
  throw operationRefused(reasonOf(prepared));
}

function keep(
  call: CallInFlight,
  prepared: PreparedCall | RefusedCall,
): PreparedCall | RefusedCall {
  if (prepared.kind === 'prepared') call.prepared = prepared;
  return prepared;
}

function reconcile(
  checked: CheckedCall,
  context: Parameters<NonNullable<CheckedCall['reconcile']>>[0],
): ReturnType<NonNullable<CheckedCall['reconcile']>> {
  return checked.reconcile?.(context) ?? Promise.resolve({ kind: 'unknown' });
}

function reasonOf(refused: RefusedCall) {
  return {
    code: refused.outcome.error_code ?? 'policy_denied',
    message: refused.outcome.text,
    data: callRecord(refused),
  };
}

function interpret(run: Run, outcome: OperationOutcome<CallRecord>): PerformedCall {
  switch (outcome.kind) {
    case 'done':
      run.toolCalls += 1;
      run.wallMs += outcome.value.trace?.duration_ms ?? 0;
      return { kind: 'outcome', outcome: outcome.value.outcome };
    case 'failed': {
      const { data, message } = outcome.error;
      return {
        kind: 'outcome',
        outcome:
          recordedOutcome(data) ??
          plainOutcome('hard_failure', 'implementation_error', run.redact(message)),
      };
    }
    case 'refused': {
      const ending = endRefused(outcome.reason, 'tool_failed');
      const { code, data, message } = outcome.reason;
      if (ending !== null) return { kind: 'ending', ending, code, message };
      return {
        kind: 'outcome',
        outcome:
          recordedOutcome(data) ??
          plainOutcome('not_executed', 'policy_denied', run.redact(message)),
      };
    }
    default:
      return unreachable(outcome, 'operation outcome');
  }
}
