import {
  type Clock,
  type JsonValue,
  MillforgeError,
  type PreparedTool,
  type ReconcileContext,
  type Reconciliation,
  type ToolRefusal,
  unreachable,
} from '@millforge/contracts';
import { approvalFault } from './approval-fault.ts';
import type { AdmittedCall } from './check-call.ts';
import { describeError } from './describe-error.ts';
import { certaintyInDoubt } from './operation-class.ts';
import { toPlainCopy } from './plain-json.ts';
import { readField } from './read-field.ts';
import { type ReadAct, type ReadPrepared, readPrepared } from './read-prepared.ts';
import { type RefusalReason, readRefusal, refusedCall } from './refused-call.ts';
import { failure, type SettledResult, settleResult } from './settle-result.ts';
import { StageContext } from './stage-context.ts';
import type {
  CallRecord,
  CallRun,
  ExecutedCall,
  PreparedCall,
  RefusedCall,
} from './tool-executor.ts';
import { traceCall } from './trace-call.ts';
import { type Limits, type Settled, type Stop, stopOf, withinLimits } from './within-limits.ts';

/** What the live stages of a call need besides the call. */
export interface LiveParts {
  readonly clock: Clock;
  /** Digests of the questions whose approval a call has used up. */
  readonly used: Set<string>;
}

/** Lets the tool look at the world; cancellation and deadline come first, so that they touch nothing. */
export function prepareCall(
  call: AdmittedCall,
  signal: AbortSignal,
  parts: LiveParts,
): MayComeLater<PreparedCall | RefusedCall> {
  const late = lateFault(call, signal, parts);
  if (late !== null) return refusedCall(call.facts, late, call.redactor);
  const stage = new StageContext(call, parts.clock);
  const settled = withinLimits<PreparedTool | ToolRefusal>(
    limitsOf(call, signal, parts),
    (halt) => call.bound.implementation.prepare(call.input, stage.begin(halt)),
    // Nobody will run it any more; what it took must be freed all the same.
    (tardy) => void disposeQuietly(readPrepared(tardy), call, parts),
  );
  const of = { call, stage };
  return settled instanceof Promise
    ? settled.then((one) => takePrepared(one, of, parts))
    : takePrepared(settled, of, parts);
}

/** A call that is being prepared, and what its code is given. */
interface StagedCall {
  readonly call: AdmittedCall;
  readonly stage: StageContext;
}

/** Most tools have nothing to look at, and nobody waits for them. */
type MayComeLater<T> = T | Promise<T>;

function takePrepared(
  settled: Settled<unknown>,
  { call, stage }: StagedCall,
  parts: LiveParts,
): MayComeLater<PreparedCall | RefusedCall> {
  const refuse = (reason: RefusalReason): RefusedCall =>
    refusedCall(call.facts, reason, call.redactor);
  if (settled.kind === 'abandoned') return refuse(stopReason(call, settled.stop));
  if (settled.kind === 'threw') {
    if (settled.stop !== null) return refuse(stopReason(call, settled.stop));
    return refuse({ code: 'implementation_error', message: thrown(call, settled.error) });
  }
  const tool = readPrepared(settled.value);
  if (tool.kind === 'refused') return refuse(readRefusal(tool, call.bound));
  if (tool.kind === 'prepared' && tool.before.ok) {
    return new LiveCall({ call, stage }, { tool, before: tool.before.value }, parts);
  }
  const message = `${call.facts.name} was prepared into something that cannot be run.`;
  return disposeQuietly(tool, call, parts).then(() =>
    refuse({ code: 'implementation_error', message }),
  );
}

/** Asks the tool whether an interrupted call happened; anything but a clear answer is `unknown`. */
export async function reconcileCall(
  call: AdmittedCall,
  context: ReconcileContext,
  parts: LiveParts,
): Promise<Reconciliation<CallRecord>> {
  const { idempotencyKey, before, signal } = context;
  const { implementation } = call.bound;
  const settled = await withinLimits<unknown>(limitsOf(call, signal, parts), async (halt) => {
    const stage = new StageContext(call, parts.clock);
    const live = Object.assign(stage.begin(halt), { idempotencyKey, before });
    return implementation.reconcile?.(call.input, live) ?? { kind: 'unknown' };
  });
  if (settled.kind === 'abandoned') return { kind: 'unknown', evidence: { stopped: settled.stop } };
  if (settled.kind === 'threw') {
    return { kind: 'unknown', evidence: { error: thrown(call, settled.error) } };
  }
  const evidence = evidenceOf(settled.value, call);
  switch (readField(settled.value, 'kind')) {
    case 'happened': {
      const answer = readField(settled.value, 'result');
      const result = settleResult(answer, call.bound, call.redactor);
      return { kind: 'happened', value: record(call, result, null), ...evidence };
    }
    case 'not-happened':
      return { kind: 'not-happened', ...evidence };
    case 'unknown':
      return { kind: 'unknown', ...evidence };
    default:
      return { kind: 'unknown', evidence: { error: 'the tool gave no answer' } };
  }
}

/** A call that has looked at the world: it runs once, and is freed once. */
class LiveCall implements PreparedCall {
  readonly kind = 'prepared';
  readonly before: JsonValue;
  readonly #call: AdmittedCall;
  readonly #act: Act;
  readonly #parts: LiveParts;
  #isSpent = false;
  #disposed: Promise<void> | null = null;

  constructor(
    { call, stage }: StagedCall,
    prepared: { readonly tool: ReadAct; readonly before: JsonValue },
    parts: LiveParts,
  ) {
    this.before = prepared.before;
    this.#call = call;
    this.#act = { tool: prepared.tool, stage, unsettled: null };
    this.#parts = parts;
    Object.freeze(this);
  }

  run(context: CallRun): Promise<ExecutedCall> {
    if (this.#isSpent) {
      return Promise.reject(
        new MillforgeError('registry/call-spent', 'A prepared call runs once; prepare it again.'),
      );
    }
    this.#isSpent = true;
    return runCall(this.#call, { context, act: this.#act }, this.#parts);
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#isSpent = true;
    this.#disposed ??= this.#free();
    return this.#disposed;
  }

  #free(): Promise<void> {
    const { tool, unsettled } = this.#act;
    // Most tools take nothing.
    if (tool.dispose === null) return FREE;
    const free = (): Promise<void> => disposeQuietly(tool, this.#call, this.#parts);
    return unsettled === null ? free() : freeLater(unsettled, free);
  }
}

/** The act of a prepared call. */
interface Act {
  readonly tool: ReadAct;
  readonly stage: StageContext;
  /** What goes on although the call has its outcome; null while nothing does. */
  unsettled: Promise<unknown> | null;
}

/** Code that was given up may still act: what it took stays taken until it ends, and nobody waits for that. */
async function freeLater(unsettled: Promise<unknown>, free: () => Promise<void>): Promise<void> {
  void unsettled.then(free, free);
}

async function runCall(
  call: AdmittedCall,
  { context, act }: { readonly context: CallRun; readonly act: Act },
  parts: LiveParts,
): Promise<ExecutedCall> {
  const { signal, idempotencyKey, onUpdate } = context;
  const watcher = { isListening: true };
  const watched = onUpdate === undefined ? {} : { onUpdate: quietly(onUpdate, watcher, call) };
  const late = lateFault(call, signal, parts);
  if (late !== null) {
    const { outcome, trace } = refusedCall(call.facts, late, call.redactor);
    return { outcome, trace };
  }
  // Taken before the act and not after it, for another call may be under way at the same time.
  const approved = call.approval?.requestSha256 ?? null;
  if (approved !== null) parts.used.add(approved);
  const startedAtMs = parts.clock.now();
  const startedMs = parts.clock.monotonicMs();
  const settled = await withinLimits<unknown>(limitsOf(call, signal, parts), (halt) => {
    // Code that froze its context gets another one for this stage.
    const stage = Object.isExtensible(act.stage) ? act.stage : new StageContext(call, parts.clock);
    const live = Object.assign(stage.begin(halt), { idempotencyKey, ...watched });
    const acting = act.tool.run(live);
    act.unsettled = acting;
    return acting;
  });
  watcher.isListening = false;
  if (settled.kind !== 'abandoned') act.unsettled = null;
  const durationMs = parts.clock.monotonicMs() - startedMs;
  const result = resultOf(settled, call);
  // A call in doubt may be repeated under the approval that it has: it is still the same call.
  if (approved !== null && result.outcome.certainty === 'completion_unknown') {
    parts.used.delete(approved);
  }
  const { outcome, trace } = record(call, result, { startedAtMs, durationMs });
  // The bytes of images stand in a list that is not.
  const isFrozen = outcome.images === undefined;
  return result.after === undefined
    ? { outcome, trace, isFrozen }
    : { outcome, trace, isFrozen, after: result.after };
}

/** Why a prepared call does not begin after all, or null: time went by, and its approval may be gone. */
function lateFault(
  call: AdmittedCall,
  signal: AbortSignal,
  { clock, used }: LiveParts,
): RefusalReason | null {
  if (signal.aborted) return stopReason(call, stopOf(signal));
  const message = approvalFault(call.approval, { now: clock.now(), used });
  return message === null ? null : { code: 'policy_denied', message };
}

/**
 * Shows what there is so far without its secrets; a listener that throws is not told again, and none is
 * told anything once the call has its outcome.
 */
function quietly(
  onUpdate: (text: string) => void,
  watcher: { isListening: boolean },
  { redactor }: AdmittedCall,
) {
  return (text: unknown): void => {
    if (!watcher.isListening || typeof text !== 'string') return;
    try {
      onUpdate((redactor.unfinished ?? redactor.text)(text));
    } catch {
      // Thrown inside the tool it would be recorded as a failure of the tool.
      watcher.isListening = false;
    }
  };
}

function resultOf(settled: Settled<unknown>, call: AdmittedCall): SettledResult {
  const inDoubt = certaintyInDoubt(call.bound.tool.descriptor);
  switch (settled.kind) {
    case 'returned':
      return settleResult(settled.value, call.bound, call.redactor);
    case 'abandoned':
      return failure(settled.stop, stopReason(call, settled.stop).message, inDoubt);
    case 'threw':
      return settled.stop === null
        ? failure('implementation_error', thrown(call, settled.error), inDoubt)
        : failure(settled.stop, stopReason(call, settled.stop).message, inDoubt);
    default:
      return unreachable(settled, 'end of a call');
  }
}

function record(
  call: AdmittedCall,
  result: SettledResult,
  times: { readonly startedAtMs: number; readonly durationMs: number } | null,
): Pick<ExecutedCall, 'outcome' | 'trace'> {
  const { outcome, truncatedPaths } = result;
  const end = { outcome, truncatedPaths, times };
  return { outcome, trace: traceCall(call.facts, end, call.redactor) };
}

function limitsOf(call: AdmittedCall, signal: AbortSignal, parts: LiveParts): Limits {
  const policy = call.bound.tool.descriptor.timeout_policy;
  return {
    clock: parts.clock,
    signal,
    timeoutMs: policy.timeout_seconds * 1000,
    graceMs: policy.cancellation_grace_seconds * 1000,
  };
}

function stopReason(
  call: AdmittedCall,
  stop: Stop,
): { readonly code: Stop; readonly message: string } {
  const name = call.facts.name;
  return stop === 'timeout'
    ? { code: stop, message: `${name} was stopped because its time was over.` }
    : { code: stop, message: `${name} was cancelled.` };
}

function thrown(call: AdmittedCall, error: unknown): string {
  const { workspace } = call.facts.context;
  return `${call.facts.name} failed: ${describeError(error, { redactor: call.redactor, workspace })}`;
}

/** The tool never gets it back, so nothing is lost with the secrets in it. */
function evidenceOf(
  answer: unknown,
  { redactor }: AdmittedCall,
): { readonly evidence?: JsonValue } {
  const evidence = readField(answer, 'evidence');
  if (evidence === undefined) return {};
  const plain = toPlainCopy(evidence, { dropUndefined: true });
  return plain.ok ? { evidence: redactor.value(plain.value) } : {};
}

/**
 * Frees what a tool took, within its grace period: the call has its outcome already, and a lock that
 * cannot be freed has no one to be told to and must not hold the run.
 */
async function disposeQuietly(
  tool: ReadPrepared,
  call: AdmittedCall,
  parts: LiveParts,
): Promise<void> {
  const dispose = tool.kind === 'prepared' ? tool.dispose : null;
  if (dispose === null) return;
  const { graceMs } = limitsOf(call, NEVER, parts);
  const limits = { clock: parts.clock, signal: NEVER, timeoutMs: graceMs, graceMs: 0 };
  await withinLimits(limits, dispose);
}

const NEVER = new AbortController().signal;
const FREE = Promise.resolve();
