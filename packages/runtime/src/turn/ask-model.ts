import {
  type ActContext,
  type ActResult,
  type JsonObject,
  type JsonValue,
  type ModelDelta,
  type ModelMessage,
  type ModelReply,
  type Operation,
  type OperationOutcome,
  operationFailed,
  operationUnavailable,
  type Refusal,
  unreachable,
} from '@millforge/contracts';
import type { AsJson } from '@millforge/registry';
import { tokenRatio } from '../context/context-limits.ts';
import { endRefused, type RunEnding } from '../run-ending.ts';
import type { ModelReplied } from '../run-event.ts';
import type { Run } from '../run-state.ts';
import { callPlace } from './call-place.ts';
import { fitRequest, type Shortening, shorteningJson } from './fit-request.ts';
import { modelRequest } from './model-request.ts';
import { readCompletion } from './read-completion.ts';
import { tellWriting } from './tell-writing.ts';
import { untilGivenUp } from './until-given-up.ts';

/** What came of asking the model. */
export type ModelTurn =
  | { readonly kind: 'reply'; readonly reply: ModelReply; readonly replayed: boolean }
  | { readonly kind: 'ending'; readonly ending: RunEnding };

/** What the log keeps of a model turn. */
type ModelExchange = AsJson<{
  readonly reply: ModelReply;
  /** Requests sent, retries included. */
  readonly attempts: number;
  /** Milliseconds it took, for a plan that limits them. */
  readonly elapsed_ms?: number;
}>;

/** One request to the model as an operation, until its outcome is known. */
export interface Question {
  readonly kind: 'question';
  readonly turn: number;
  readonly operation: Operation<ModelExchange>;
  /** What had to be shortened for it. */
  readonly compacted: Shortening | null;
  /** On the monotonic clock; null as long as the model was not asked. */
  startedAt: number | null;
}

/**
 * Words the question of a turn, which is asked as one operation; or ends a run whose conversation does not fit.
 *
 * Its input is what was appended to the conversation since the turn before; the digests are chained,
 * so that a long run digests and stores every message once.
 */
export function nextQuestion(
  run: Run,
  turn: number,
): Question | { readonly kind: 'ending'; readonly ending: RunEnding } {
  const fitted = fitRequest(run, turn);
  if (fitted.kind === 'ending') return fitted;
  const messages = run.conversation.takeNew().map(messageJson);
  const { compacted } = fitted;
  const added =
    compacted === null ? { messages } : { messages, compacted: shorteningJson(compacted) };
  const operation: Unfinished<Operation<ModelExchange>> = {
    key: `model/${turn}`,
    step: turn,
    kind: 'model',
    effect: 'none',
    repeat: 'safe',
    metered: true,
    describe: `model turn ${turn}`,
    input: turn === 1 ? { ...fixedInput(run), ...added } : added,
  };
  if (turn > 1) operation.extends = `model/${turn - 1}`;
  return { kind: 'question', turn, operation, compacted, startedAt: null };
}

type Unfinished<T> = { -readonly [Field in keyof T]: T[Field] };

/** Asks the model: the act of the operation. */
export function askModel(
  run: Run,
  question: Question,
  context: ActContext,
): Promise<ActResult<ModelExchange>> {
  if (question.startedAt === null) emitStarted(run, question, false);
  question.startedAt = run.options.clock.monotonicMs();
  const { options } = run;
  if (options.deltas !== true || options.onEvent === undefined) return complete(run, context);
  return completeAloud(run, question.turn, context);
}

/** What the recorded outcome of a question comes to. */
export function takeReply(
  run: Run,
  question: Question,
  outcome: OperationOutcome<ModelExchange>,
): ModelTurn {
  const { turn, startedAt } = question;
  const { replayed } = outcome;
  if (startedAt === null && outcome.kind !== 'refused') emitStarted(run, question, replayed);
  const elapsedMs = startedAt === null ? null : run.options.clock.monotonicMs() - startedAt;
  switch (outcome.kind) {
    case 'done': {
      const { reply, attempts, elapsed_ms = 0 } = outcome.value;
      countUsage(run, reply);
      run.wallMs += elapsed_ms;
      emitReplied(run, { turn, replayed, reply, attempts, elapsedMs });
      run.observer.rethrow();
      return { kind: 'reply', reply, replayed };
    }
    case 'failed':
      return { kind: 'ending', ending: modelFailed(run.redact(outcome.error.message)) };
    case 'refused':
      return { kind: 'ending', ending: notAsked(outcome.reason) };
    default:
      return unreachable(outcome, 'operation outcome');
  }
}

/** Asks, and tells of the reply while it is written. */
async function completeAloud(
  run: Run,
  turn: number,
  context: ActContext,
): Promise<ActResult<ModelExchange>> {
  const { onDelta, end } = tellWriting(run, turn);
  try {
    return await complete(run, context, onDelta);
  } finally {
    end();
  }
}

async function complete(
  run: Run,
  { signal, idempotencyKey }: ActContext,
  onDelta?: (delta: ModelDelta) => void,
): Promise<ActResult<ModelExchange>> {
  const request = modelRequest(run);
  const { clock } = run.options;
  const startedAt = clock.monotonicMs();
  const completing = run.options.model.complete(
    request,
    onDelta === undefined ? { signal, idempotencyKey } : { signal, idempotencyKey, onDelta },
  );
  const completion = readCompletion(
    await untilGivenUp(Promise.resolve(completing), { signal, clock }),
  );
  // What breaks the client's promise must not be recorded: every replay would break on it again.
  if (completion.kind === 'fault') {
    throw operationFailed({
      code: 'malformed_response',
      message: `The model client broke its contract: ${completion.fault}.`,
    });
  }
  if (completion.kind === 'failed') {
    const failure = { code: completion.category, message: run.redact(completion.message) };
    throw HOPELESS.has(completion.category)
      ? operationFailed(failure)
      : operationUnavailable(failure);
  }
  const { reply, attempts } = completion;
  const exchange = { reply, attempts };
  // A replay has to stop where the run did, so what a limit depends on is recorded.
  const value =
    run.plan.budgets.observed_limits?.wall_ms === undefined
      ? exchange
      : { ...exchange, elapsed_ms: Math.round(clock.monotonicMs() - startedAt) };
  Object.freeze(value);
  return value.reply.usage === null
    ? { value, isFrozen: true }
    : { value, usage: value.reply.usage, isFrozen: true };
}

/** What the first turn says besides its messages, and no later one can change. */
function fixedInput(run: Run): JsonObject {
  return {
    model_profile: run.plan.model_profile.profile_id,
    tools: run.toolsJson,
  };
}

/** A message as it is recorded: what was put together here and frozen is what is kept. */
function messageJson(message: ModelMessage): JsonValue {
  if (message.role !== 'tool' || message.images === undefined) {
    const asJson: AsJson<ModelMessage> = message;
    return asJson;
  }
  const { role, tool_call_id, name, content, images } = message;
  // The bytes are with the call; what the model was shown is told by its digest.
  const shown = images.map(({ media_type, sha256 }) => ({ media_type, sha256 }));
  return { role, tool_call_id, name, content, images: shown };
}

function emitStarted(run: Run, { turn, compacted }: Question, replayed: boolean): void {
  if (!run.observer.hears(replayed)) return;
  if (compacted !== null) {
    run.observer.emit({ kind: 'context-compacted', turn, replayed, ...compacted });
  }
  const messageCount = run.conversation.messages.length;
  run.observer.emit({ kind: 'turn-started', turn, replayed, messageCount });
}

function emitReplied(
  run: Run,
  {
    reply,
    turn,
    replayed,
    attempts,
    elapsedMs,
  }: Pick<ModelReplied, 'turn' | 'replayed' | 'attempts' | 'elapsedMs'> & {
    readonly reply: ModelReply;
  },
): void {
  if (!run.observer.hears(replayed)) return;
  run.observer.emit({
    kind: 'model-replied',
    turn,
    replayed,
    attempts,
    elapsedMs,
    content: reply.content === null ? null : run.redact(reply.content),
    reasoning: reply.reasoning === null ? null : run.redact(reply.reasoning),
    calls: reply.tool_calls.map((call, index) => callPlace(run, { turn, index }, call.name).tool),
    usage: reply.usage,
  });
}

function notAsked(reason: Refusal): RunEnding {
  return (
    endRefused(reason, 'model_failed') ?? modelFailed(`The model was not asked: ${reason.message}`)
  );
}

function countUsage(run: Run, reply: ModelReply): void {
  run.turns += 1;
  if (reply.usage === null) return;
  run.inputTokens = (run.inputTokens ?? 0) + reply.usage.input_tokens;
  run.outputTokens = (run.outputTokens ?? 0) + reply.usage.output_tokens;
  run.tokenRatio = tokenRatio(reply.usage.input_tokens, run.sentTokens);
  const { cost_micros } = reply.usage;
  if (cost_micros !== undefined) run.costMicros = (run.costMicros ?? 0) + cost_micros;
}

function modelFailed(message: string): RunEnding {
  return { kind: 'failure', status: 'failed', failureClass: 'model_failed', message };
}

/** Failures that no later try can mend: the request itself is wrong. Any other may pass, so the run waits. */
const HOPELESS = new Set(['invalid_request', 'unsupported_capability']);
