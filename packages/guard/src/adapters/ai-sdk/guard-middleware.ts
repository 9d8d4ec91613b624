import { guardTurn } from '../../turn/guard-turn.ts';
import type {
  AiSdkGuardOptions,
  AiSdkModel,
  AiSdkParams,
  AiSdkResult,
  AiSdkStreamResult,
} from './ai-sdk-shapes.ts';
import { callIds, extended, guardTools, toolChoiceOf } from './from-ai-sdk.ts';
import { guardStream } from './guard-stream.ts';
import { guardedResult } from './guarded-result.ts';
import { replyOf } from './reply-of.ts';

/** A middleware for `wrapLanguageModel` of the AI SDK, version 6. */
export interface AiSdkMiddleware {
  /** The version of the middleware that the SDK asks for. */
  readonly specificationVersion: 'v3';
  /** Guards one request. */
  readonly wrapGenerate: <Params extends AiSdkParams, Result extends AiSdkResult>(request: {
    readonly doGenerate: () => PromiseLike<Result>;
    readonly params: Params;
    readonly model: AiSdkModel<Params, Result>;
  }) => Promise<Result>;
  /** Guards one streamed request; text passes while it comes, calls when they are judged. */
  readonly wrapStream: <
    Params extends AiSdkParams,
    Result extends AiSdkResult,
    Streamed extends AiSdkStreamResult,
  >(request: {
    readonly doStream: () => PromiseLike<Streamed>;
    readonly params: Params;
    readonly model: AiSdkModel<Params, Result>;
  }) => Promise<Streamed>;
}

/**
 * Makes a middleware that hands the SDK only replies that it can use.
 *
 * A reply in which every call is right, or that is an answer, passes as it came. Otherwise calls are taken
 * out of text, repaired, or asked for again; the questions stay inside the turn, and their tokens are counted.
 */
export function guardMiddleware(options: AiSdkGuardOptions = {}): AiSdkMiddleware {
  return {
    specificationVersion: 'v3',
    wrapGenerate: (request) => guardedGenerate(request, options),
    async wrapStream({ doStream, params, model }) {
      const tools = guardTools(params);
      const streamed = await doStream();
      if (tools.length === 0) return streamed;
      const stream = guardStream(streamed.stream, { params, model, tools, ...options });
      return { ...streamed, stream };
    },
  };
}

async function guardedGenerate<Params extends AiSdkParams, Result extends AiSdkResult>(
  request: {
    readonly doGenerate: () => PromiseLike<Result>;
    readonly params: Params;
    readonly model: AiSdkModel<Params, Result>;
  },
  { policy, onTurn }: AiSdkGuardOptions,
): Promise<Result> {
  const { doGenerate, params, model } = request;
  const tools = guardTools(params);
  if (tools.length === 0) return doGenerate();
  const results: Result[] = [];
  const turn = await guardTurn(
    async (extra, choice) => {
      const result: Result =
        extra.length === 0
          ? await doGenerate()
          : await model.doGenerate(extended(params, { extra, results }, choice));
      results.push(result);
      return replyOf(result);
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
  return guardedResult(turn, results);
}
