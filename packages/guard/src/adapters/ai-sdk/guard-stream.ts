import type { GuardTool } from '../../guard-tool.ts';
import { createTextRelease } from '../../stream/text-release.ts';
import { type GuardedTurn, guardTurn } from '../../turn/guard-turn.ts';
import { textOf } from '../read-field.ts';
import type {
  AiSdkGuardOptions,
  AiSdkModel,
  AiSdkParams,
  AiSdkPart,
  AiSdkResult,
  AiSdkUsage,
} from './ai-sdk-shapes.ts';
import { callIds, extended, toolChoiceOf } from './from-ai-sdk.ts';
import { addUsage, callPart, finishReasonOf } from './guarded-result.ts';
import { isOwnCall, replyOf } from './reply-of.ts';
import { streamedResult } from './streamed-result.ts';

interface Guarded<Params, Result> extends AiSdkGuardOptions {
  readonly params: Params;
  readonly model: AiSdkModel<Params, Result>;
  readonly tools: readonly GuardTool[];
}

/**
 * Lets text through while it comes, as far as it cannot be a call, and holds calls back until they are judged.
 *
 * Where the model has to be asked again, that happens without a stream, and what comes of it follows.
 */
export function guardStream<Part extends AiSdkPart, Params extends AiSdkParams>(
  source: ReadableStream<Part>,
  guarded: Guarded<Params, AiSdkResult>,
): ReadableStream<Part> {
  const release = createTextRelease(guarded.tools);
  const seen: Part[] = [];
  const held: Part[] = [];
  let text = '';
  let shown = '';
  let block: string | null = null;
  const show = (piece: string, emit: (part: object) => void): void => {
    if (piece === '' || block === null) return;
    shown += piece;
    emit({ type: 'text-delta', id: block, delta: piece });
  };
  return source.pipeThrough(
    new TransformStream<Part, Part>({
      transform(part, controller) {
        // What is made here has the form that the SDK documents for it.
        const emit = (made: object): void => controller.enqueue(made as Part);
        seen.push(part);
        if (part.type === 'text-start') {
          if (block === null) controller.enqueue(part);
          block ??= textOf(part, 'id') ?? 'text';
        } else if (part.type === 'text-delta') {
          const piece = textOf(part, 'delta') ?? '';
          text += piece;
          show(release.push(piece), emit);
        } else if (part.type !== 'text-end') {
          if (isHeld(part)) held.push(part);
          else controller.enqueue(part);
        }
      },
      async flush(controller) {
        const emit = (made: object): void => controller.enqueue(made as Part);
        if (seen.some((part) => part.type === 'error')) {
          // A reply that broke off is no reply: what came of it goes on as it is.
          show(release.rest(), emit);
          if (block !== null) emit({ type: 'text-end', id: block });
          for (const part of held) controller.enqueue(part);
          return;
        }
        const first = streamedResult(seen);
        const outcome = await judged(first, guarded).catch((error: unknown) => ({ error }));
        if ('error' in outcome) {
          // As a model tells of it: thrown here, it would break whoever reads the stream.
          if (block !== null) emit({ type: 'text-end', id: block });
          emit({ type: 'error', error: outcome.error });
          emit({ ...first, type: 'finish', finishReason: { unified: 'error', raw: undefined } });
          return;
        }
        const { turn, usage, finishReason } = outcome;
        const isFirst = turn.replies.length === 1;
        const isShownText = isFirst && turn.content === text;
        if (isShownText || turn.content === text) show(release.rest(), emit);
        else if (isFirst && turn.content?.startsWith(shown) === true) {
          show(turn.content.slice(shown.length), emit);
        }
        if (block !== null) emit({ type: 'text-end', id: block });
        if (!isFirst && turn.content !== null && turn.content !== text) {
          const id = `guard-${turn.replies.length}`;
          emit({ type: 'text-start', id });
          emit({ type: 'text-delta', id, delta: turn.content });
          emit({ type: 'text-end', id });
        }
        emitCalls(turn, { first, held, emit });
        const finish = held.find((part) => part.type === 'finish');
        if (finish !== undefined) emit({ ...finish, usage, finishReason });
      },
    }),
  );
}

/** Calls, the announcements of their arguments, and the end wait for the judgement. */
function isHeld(part: AiSdkPart): boolean {
  return isOwnCall(part) || part.type.startsWith('tool-input-') || part.type === 'finish';
}

function emitCalls(
  turn: GuardedTurn,
  streamed: {
    readonly first: AiSdkResult;
    readonly held: readonly AiSdkPart[];
    readonly emit: (part: object) => void;
  },
): void {
  const own = new Set(streamed.held.filter(isOwnCall).map((part) => textOf(part, 'toolCallId')));
  for (const part of streamed.held) {
    // A call of the provider announces its arguments as well; these are not judged.
    const isProviders = part.type.startsWith('tool-input-') && !own.has(textOf(part, 'id'));
    if (isProviders) streamed.emit(part);
  }
  for (const call of turn.calls) {
    const { id, name: toolName, arguments: input } = call;
    streamed.emit({ type: 'tool-input-start', id, toolName });
    streamed.emit({ type: 'tool-input-delta', id, delta: input });
    streamed.emit({ type: 'tool-input-end', id });
    streamed.emit(callPart(call, streamed.first.content));
  }
}

async function judged<Params extends AiSdkParams>(
  first: AiSdkResult,
  { params, model, tools, policy, onTurn }: Guarded<Params, AiSdkResult>,
): Promise<{
  readonly turn: GuardedTurn;
  readonly usage: AiSdkUsage;
  readonly finishReason: AiSdkResult['finishReason'];
}> {
  let last = first;
  let { usage } = first;
  const results = [first];
  const turn = await guardTurn(
    async (extra, choice) => {
      if (extra.length > 0) {
        last = await model.doGenerate(extended(params, { extra, results }, choice));
        results.push(last);
        usage = addUsage(usage, last.usage);
      }
      return replyOf(last);
    },
    {
      tools,
      toolChoice: toolChoiceOf(params),
      idPrefix: `call_${params.prompt.length}`,
      takenIds: callIds(params),
      ...(policy === undefined ? {} : { policy }),
    },
  );
  onTurn?.(turn);
  return { turn, usage, finishReason: finishReasonOf(turn, last.finishReason) };
}
