import {
  type ActResult,
  type JsonValue,
  type MillforgeError,
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

/** Performs one admitted call as one operation; what was prepared for it is always freed. */
export async function performCall(
  run: Run,
  place: CallPlace,
  checked: CheckedCall,
): Promise<PerformedCall> {
  const { clock, operations } = run.options;
  const describe = run.redact(describeCall(place.tool, checked.input));
  let startedAt: number | null = null;
  const start = (replayed: boolean): void => {
    if (!replayed) startedAt = clock.monotonicMs();
    if (!run.observer.hears(replayed)) return;
    run.observer.emit({ kind: 'call-started', ...place, replayed, describe });
  };
  const held = holdPrepared(checked);
  let outcome: OperationOutcome<CallRecord>;
  try {
    outcome = await operations.perform<CallRecord>(
      {
        key: `tool/${place.turn}/${place.index}`,
        step: place.turn,
        kind: 'tool',
        subject: place.tool,
        effect: checked.effect,
        repeat: checked.repeat,
        metered: false,
        input: { tool: place.tool, binding: { ...checked.binding }, arguments: checked.input },
        describe,
        before(signal) {
          if (startedAt === null) start(false);
          return held.look(signal);
        },
        ...(checked.reconcile === undefined
          ? {}
          : { reconcile: (context) => reconcile(checked, context) }),
      },
      (context) => act({ run, place, checked, held }, context),
    );
  } finally {
    await held.free();
  }
  const { replayed } = outcome;
  const performed = interpret(run, outcome);
  if (performed.kind === 'ending') {
    const { code, message } = performed;
    run.observer.emit({ kind: 'call-refused', ...place, replayed, code, message });
    return performed;
  }
  if (startedAt === null) start(replayed);
  if (run.observer.hears(replayed)) {
    const { status, error_code, text } = performed.outcome;
    run.observer.emit({
      kind: 'call-ended',
      ...place,
      replayed,
      status,
      errorCode: error_code,
      text,
      elapsedMs: startedAt === null ? null : clock.monotonicMs() - startedAt,
    });
  }
  run.observer.rethrow();
  return performed;
}

type Context = Parameters<PreparedCall['run']>[0];

async function act(
  parts: {
    readonly run: Run;
    readonly place: CallPlace;
    readonly checked: CheckedCall;
    readonly held: Held;
  },
  context: Context,
): Promise<ActResult<CallRecord>> {
  const { run, place, held } = parts;
  // A prepared call acts once: a repeat looks at the world again.
  const prepared = held.current() ?? (await held.prepare(context.signal));
  if (prepared.kind === 'refused') {
    if (isStopped(prepared.outcome) && context.signal.aborted) throw unperformed(prepared);
    throw operationFailed(reasonOf(prepared));
  }
  try {
    const executed = await prepared.run(watched(run, place, context));
    const { outcome, after } = executed;
    assertRecordable(parts, executed, context);
    const kept =
      outcome.images === undefined ? outcome : await keepImages(outcome, run.options.artifacts);
    return {
      value: callRecord({ trace: executed.trace, outcome: kept }),
      usage: { tool_calls: 1 },
      ...(after === undefined ? {} : { after }),
    };
  } finally {
    await held.free();
  }
}

/** Throws for an outcome that is not to be recorded as what the call came to. */
function assertRecordable(
  { run, checked }: { readonly run: Run; readonly checked: CheckedCall },
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
function watched(run: Run, place: CallPlace, context: Context): Context {
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

/** Keeps the one prepared call of an operation, from looking at the world to acting on it. */
interface Held {
  /** Null before it was prepared, and once it was freed. */
  current(): PreparedCall | null;
  /** Prepares the call and gives the evidence of the state before; throws the refusal that is to be recorded. */
  look(signal: AbortSignal): Promise<JsonValue | null>;
  prepare(signal: AbortSignal): Promise<PreparedCall | RefusedCall>;
  free(): Promise<void>;
}

function holdPrepared(checked: CheckedCall): Held {
  let current: PreparedCall | null = null;
  const free = (): Promise<void> => {
    if (current === null) return FREE;
    const prepared = current;
    current = null;
    return Promise.resolve(prepared[Symbol.asyncDispose]());
  };
  const keep = (prepared: PreparedCall | RefusedCall): PreparedCall | RefusedCall => {
    if (prepared.kind === 'prepared') current = prepared;
    return prepared;
  };
  return {
    current: () => current,
    async look(signal) {
      if (current !== null) await free();
      const prepared = keep(await checked.prepare({ signal }));
      if (prepared.kind === 'prepared') return prepared.before;
      if (isStopped(prepared.outcome)) signal.throwIfAborted();
      throw operationRefused(reasonOf(prepared));
    },
    prepare: async (signal) => keep(await checked.prepare({ signal })),
    free,
  };
}

const FREE = Promise.resolve();

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
