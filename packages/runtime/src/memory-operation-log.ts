import {
  type ActContext,
  type ActResult,
  type Clock,
  type Failure,
  type Ids,
  type JsonValue,
  MillforgeError,
  type Operation,
  type OperationLog,
  type OperationOutcome,
  operationSuspended,
  type Reconciliation,
  type SuspendReason,
  sha256,
} from '@millforge/contracts';
import { actSignal } from './act-signal.ts';
import { freezeJson } from './freeze-json.ts';
import { sameJson } from './same-json.ts';

/** What a log in memory is made of. */
export interface MemoryOperationLogOptions {
  /** Time, for the deadline. */
  readonly clock: Clock;
  /** Names the run, so that idempotency keys of different runs differ. */
  readonly ids: Ids;
  /** Stops the run. */
  readonly signal?: AbortSignal;
  /** Milliseconds from the creation of the log after which live operations are refused. */
  readonly deadlineMs?: number;
}

/** An operation log that lives as long as its process. */
export interface MemoryOperationLog extends OperationLog {
  /** A log of the same run that replays what was recorded; `signal` stops it. */
  resume(options?: { readonly signal?: AbortSignal }): MemoryOperationLog;
}

/**
 * Makes a log for a run that nobody will resume in another process.
 *
 * Inputs are kept by reference and compared on replay only, so that a live operation costs no digest.
 * Values are frozen when they are recorded. An operation that cannot be decided suspends as `held`:
 * there is no person to ask.
 */
export function memoryOperationLog(options: MemoryOperationLogOptions): MemoryOperationLog {
  const { clock, ids, deadlineMs, signal } = options;
  return openLog(
    {
      clock,
      scope: ids.newId('run'),
      deadline:
        deadlineMs === undefined ? Number.POSITIVE_INFINITY : clock.monotonicMs() + deadlineMs,
      entries: new Map(),
      lastStep: 0,
    },
    signal ?? new AbortController().signal,
  );
}

/** What all logs of one run share. */
interface Run {
  readonly clock: Clock;
  readonly scope: string;
  /** On the monotonic clock. */
  readonly deadline: number;
  readonly entries: Map<string, Entry>;
  lastStep: number;
}

/** What is kept of one operation; its functions are not, for they hold on to what was prepared. */
interface Entry {
  readonly step: number;
  readonly kind: Operation['kind'];
  readonly effect: Operation['effect'];
  readonly repeat: Operation['repeat'];
  readonly input: JsonValue;
  readonly extends: string | undefined;
  outcome: OperationOutcome | null;
  /** An act began whose end is not known. */
  inDoubt: boolean;
  inFlight: boolean;
  before: JsonValue | null;
}

/** One pass of the program over the run. */
interface Pass {
  readonly run: Run;
  readonly signal: AbortSignal;
  /** Recorded operations that this pass has not asked for; empty in the first. */
  readonly unasked: Map<string, number>;
  step: number;
  /** Why nothing more is performed. */
  ended: MillforgeError | null;
}

type Act<T extends JsonValue> = (context: ActContext) => Promise<ActResult<T>>;

function openLog(run: Run, signal: AbortSignal): MemoryOperationLog {
  const recorded = [...run.entries].filter(([, entry]) => entry.outcome !== null);
  const pass: Pass = {
    run,
    signal,
    unasked: new Map(recorded.map(([key, { step }]) => [key, step])),
    step: 0,
    ended: null,
  };
  return {
    signal,
    newId: (key) => `id_${sha256(`${run.scope}\n${key}`).slice(0, 32)}`,
    // Asked before every turn, and in a first pass nothing is: then the key need not even be hashed.
    isRecorded: (key) => pass.unasked.size > 0 && pass.unasked.has(key),
    perform: (operation, act) => perform(pass, operation, act),
    resume: (options = {}) => openLog(run, options.signal ?? new AbortController().signal),
  };
}

async function perform<T extends JsonValue>(
  pass: Pass,
  operation: Operation<T>,
  act: Act<T>,
): Promise<OperationOutcome<T>> {
  const entry = findEntry(pass, operation);
  pass.step = operation.step;
  if (entry.outcome !== null) {
    pass.unasked.delete(operation.key);
    // Recorded under the same key for the same operation, so the value is of its type.
    return { ...(entry.outcome as OperationOutcome<T>), replayed: true };
  }
  pass.run.entries.set(operation.key, entry);
  pass.run.lastStep = Math.max(pass.run.lastStep, operation.step);
  const live: Live<T> = { pass, operation, entry };
  entry.inFlight = true;
  try {
    if (entry.inDoubt) {
      const settled = await settleDoubt(live, { code: 'interrupted', message: INTERRUPTED });
      if (settled !== null) return record(entry, settled);
    }
    for (let tries = 1; ; tries++) {
      // Looking for an interrupted act takes time, in which the run may have been stopped.
      if (pass.signal.aborted) throw suspend(live, 'stopped');
      if (remainingMs(live) <= 0) return record(entry, PAST_DEADLINE);
      const { signal, release } = actSignal(pass.signal, {
        clock: pass.run.clock,
        remainingMs: remainingMs(live),
      });
      let stage: Stage = 'before';
      let attempt: OperationOutcome<T> | Doubt;
      try {
        const looking = operation.before?.(signal) ?? null;
        entry.before = looking === null ? null : await looking;
        stage = 'act';
        const idempotencyKey = `${pass.run.scope}/${operation.key}`;
        const { value, isFrozen } = await act({ signal, idempotencyKey });
        if (isFrozen !== true) assertRecordable(operation, value);
        attempt = { kind: 'done', value, replayed: false };
      } catch (error) {
        attempt = outcomeOfThrow(live, { error, stage, signal });
      } finally {
        release();
      }
      if (attempt.kind !== 'doubt') return record(entry, attempt);
      entry.inDoubt = true;
      if (pass.signal.aborted) throw suspend(live, 'stopped');
      const mayRepeat = operation.repeat !== 'unsafe' && remainingMs(live) > 0;
      if (mayRepeat && tries < MAX_TRIES) continue;
      if (mayRepeat) throw suspend(live, 'held', attempt.failure);
      const settled = await settleDoubt(live, attempt.failure);
      if (settled !== null) return record(entry, settled);
    }
  } finally {
    entry.inFlight = false;
  }
}

function record<T extends JsonValue>(
  entry: Entry,
  outcome: OperationOutcome<T>,
): OperationOutcome<T> {
  entry.outcome = outcome;
  entry.inDoubt = false;
  return outcome;
}

/** The entry of an operation, a new one where it is asked for the first time; throws where it may not be. */
function findEntry(pass: Pass, operation: Operation): Entry {
  if (pass.ended !== null) throw pass.ended;
  if (pass.signal.aborted) throw end(pass, operationSuspended('stopped'));
  const known = pass.run.entries.get(operation.key);
  if (known?.inFlight) {
    throw new MillforgeError(
      'operation/duplicate-key',
      `The operation ${operation.key} is being performed already; a key names one operation.`,
      { details: { key: operation.key } },
    );
  }
  const difference = findDifference(pass, operation, known);
  if (difference === null) return known ?? newEntry(operation);
  throw end(
    pass,
    new MillforgeError(
      'operation/diverged',
      `The operation ${operation.key} is not the one that was recorded: ${difference}.`,
      { details: { key: operation.key, difference } },
    ),
  );
}

function newEntry({ step, kind, effect, repeat, input, extends: base }: Operation): Entry {
  return {
    step,
    kind,
    effect,
    repeat,
    input,
    extends: base,
    outcome: null,
    inDoubt: false,
    inFlight: false,
    before: null,
  };
}

function findDifference(pass: Pass, operation: Operation, known: Entry | undefined): string | null {
  if (operation.step < pass.step) return 'its step lies before the one that was reached';
  if (known !== undefined) {
    if (known.step !== operation.step) return 'another step';
    if (known.kind !== operation.kind) return 'another kind';
    if (known.effect !== operation.effect) return 'another effect';
    if (known.repeat !== operation.repeat) return 'another repeat';
    if (known.extends !== operation.extends) return 'it continues another operation';
    if (!sameJson(known.input, operation.input)) return 'another input';
    if (known.outcome !== null) return null;
  }
  if (operation.step < pass.run.lastStep) return 'a later step was recorded already';
  if (pass.unasked.size === 0) return null;
  for (const [key, step] of pass.unasked) {
    if (step < operation.step) return `${key} was recorded before it and not asked for`;
  }
  return null;
}

/** One live operation. */
interface Live<T extends JsonValue> {
  readonly pass: Pass;
  readonly operation: Operation<T>;
  readonly entry: Entry;
}

type Doubt = { readonly kind: 'doubt'; readonly failure: Failure };

/** How far an act had come when it threw. */
type Stage = 'before' | 'act';

/** Freezes the value of an act; throws for one that no log could keep. */
function assertRecordable({ key }: Operation, value: JsonValue): void {
  if (freezeJson(value)) return;
  throw new MillforgeError(
    'operation/invalid-value',
    `The operation ${key} gave a value that JSON cannot hold.`,
  );
}

/** What a throw of `before` or of the act comes to; suspends where nothing may be recorded. */
function outcomeOfThrow<T extends JsonValue>(
  live: Live<T>,
  thrown: { readonly error: unknown; readonly stage: Stage; readonly signal: AbortSignal },
): OperationOutcome<T> | Doubt {
  const { operation, pass } = live;
  const { error, stage, signal } = thrown;
  const failure = failureOf(error);
  if (stage === 'before' && MillforgeError.is(error, 'operation/refused')) {
    return { kind: 'refused', reason: failure, replayed: false };
  }
  if (MillforgeError.is(error, 'operation/failed')) {
    return { kind: 'failed', error: failure, replayed: false };
  }
  const isUnavailable = MillforgeError.is(error, 'operation/unavailable');
  const hasEffect = operation.effect === 'write' || operation.effect === 'external';
  if (stage === 'before' || isUnavailable || !hasEffect) {
    if (pass.signal.aborted) throw suspend(live, 'stopped');
    if (signal.aborted) return operation.kind === 'model' ? UNANSWERED : PAST_DEADLINE;
    if (isUnavailable) throw suspend(live, 'unavailable', failure);
  }
  if (stage === 'act' && (hasEffect || MillforgeError.is(error, 'operation/uncertain'))) {
    return { kind: 'doubt', failure };
  }
  return { kind: 'failed', error: failure, replayed: false };
}

/** Decides an operation that may have happened; null means that it did not and is to be performed again. */
async function settleDoubt<T extends JsonValue>(
  live: Live<T>,
  failure: Failure,
): Promise<OperationOutcome<T> | null> {
  const { operation, entry } = live;
  if (operation.repeat === 'safe' && remainingMs(live) > 0) return null;
  const found = await reconcile(live);
  if (found.kind === 'happened' && freezeJson(found.value)) {
    return { kind: 'done', value: found.value, replayed: false };
  }
  if (found.kind === 'not-happened') entry.inDoubt = false;
  else if (operation.repeat === 'unsafe' || remainingMs(live) <= 0) {
    throw suspend(live, 'held', failure);
  }
  return null;
}

async function reconcile<T extends JsonValue>(live: Live<T>): Promise<Reconciliation<T>> {
  const { operation, entry, pass } = live;
  if (operation.reconcile === undefined) return { kind: 'unknown' };
  try {
    return await operation.reconcile({
      idempotencyKey: `${pass.run.scope}/${operation.key}`,
      before: entry.before,
      signal: pass.signal,
    });
  } catch {
    // The port says so: a reconcile that throws could not find out.
    return { kind: 'unknown' };
  }
}

function suspend(live: Live<JsonValue>, reason: SuspendReason, failure?: Failure): MillforgeError {
  return end(live.pass, operationSuspended(reason, failure));
}

function end(pass: Pass, error: MillforgeError): MillforgeError {
  pass.ended ??= error;
  return error;
}

function remainingMs({ pass: { run } }: Pick<Live<JsonValue>, 'pass'>): number {
  if (run.deadline === Number.POSITIVE_INFINITY) return run.deadline;
  return run.deadline - run.clock.monotonicMs();
}

function failureOf(error: unknown): Failure {
  const details = MillforgeError.is(error) ? error.details : undefined;
  const message = error instanceof Error ? error.message : 'Something that is no error was thrown.';
  if (typeof details === 'object' && details !== null && 'code' in details) {
    const { code, data } = details;
    if (typeof code === 'string') {
      return data === undefined ? { code, message } : { code, message, data };
    }
  }
  return { code: MillforgeError.is(error) ? error.code : 'internal_error', message };
}

const MAX_TRIES = 3;
const INTERRUPTED = 'The operation was interrupted before its outcome was known.';
const PAST_DEADLINE = Object.freeze({
  kind: 'refused' as const,
  reason: Object.freeze({
    code: 'deadline',
    message: 'The deadline of the run has passed; nothing new is begun.',
  }),
  replayed: false,
});
const UNANSWERED = Object.freeze({
  kind: 'refused' as const,
  reason: Object.freeze({
    code: 'deadline',
    message: 'The model did not answer before the deadline of the run.',
  }),
  replayed: false,
});
