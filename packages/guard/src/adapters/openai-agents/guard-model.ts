import { defaultPolicy, type GuardPolicy } from '../../guard-policy.ts';
import type { GuardTool } from '../../guard-tool.ts';
import { createTextRelease } from '../../stream/text-release.ts';
import { type GuardedTurn, guardTurn } from '../../turn/guard-turn.ts';
import { objectOf, textOf } from '../read-field.ts';
import type { AgentsEvent, AgentsModel, AgentsRequest, AgentsResponse } from './agents-shapes.ts';
import {
  addUsage,
  callIds,
  extended,
  guardedResponse,
  guardTools,
  replyOf,
  toolChoiceOf,
} from './from-agents.ts';

/** How replies are guarded. */
export interface AgentsGuardOptions {
  /** How replies are judged; default `defaultPolicy`. */
  readonly policy?: GuardPolicy;
  /** Told of every turn, for logs: what was asked again, and what that did not mend. */
  readonly onTurn?: (turn: GuardedTurn) => void;
}

/**
 * Wraps a model of OpenAI Agents so that the runner sees only replies that it can use.
 *
 * The runner ends a run for one unknown tool; behind this it does not come to that. Questions stay inside the
 * turn, and their tokens are counted. Where the server keeps the conversation nothing is asked again, since
 * that would stay in it; calls are still repaired and taken out of text.
 */
export function guardModel<Model extends AgentsModel>(
  model: Model,
  options: AgentsGuardOptions = {},
): Model {
  const guarded: AgentsModel = {
    async getResponse(request) {
      const tools = guardTools(request);
      return tools.length === 0
        ? model.getResponse(request)
        : judged(await model.getResponse(request), { model, request, tools, options });
    },
    getStreamedResponse: (request) => guardEvents(model, request, options),
  };
  // Everything else the model has stays its own, private fields included.
  return new Proxy(model, {
    get(target, key) {
      if (key === 'getResponse' || key === 'getStreamedResponse') return guarded[key];
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

interface Asked {
  readonly model: AgentsModel;
  readonly request: AgentsRequest;
  readonly tools: readonly GuardTool[];
  readonly options: AgentsGuardOptions;
}

async function judged(
  first: AgentsResponse,
  { model, request, tools, options }: Asked,
): Promise<AgentsResponse> {
  let last = first;
  let { usage } = first;
  const responses = [first];
  const turn = await guardTurn(
    async (extra, choice) => {
      if (extra.length > 0) {
        last = await model.getResponse(extended(request, { extra, responses }, choice));
        responses.push(last);
        usage = addUsage(usage, last.usage);
      }
      return replyOf(last);
    },
    {
      tools,
      toolChoice: toolChoiceOf(request),
      policy: policyFor(request, options.policy ?? defaultPolicy),
      idPrefix: `call_${request.input.length}`,
      takenIds: callIds(request),
    },
  );
  options.onTurn?.(turn);
  return { ...guardedResponse(turn, last), usage };
}

function policyFor(request: AgentsRequest, policy: GuardPolicy): GuardPolicy {
  const isKept = request.previousResponseId !== undefined || request.conversationId !== undefined;
  if (!isKept) return policy;
  return { ...policy, budgets: { ...policy.budgets, validation_retries: 0, tool_errors: 0 } };
}

/** Text passes while it comes, as far as it cannot be a call; the runner takes calls from the last event. */
async function* guardEvents(
  model: AgentsModel,
  request: AgentsRequest,
  options: AgentsGuardOptions,
): AsyncGenerator<AgentsEvent> {
  const tools = guardTools(request);
  const release = createTextRelease(tools);
  for await (const event of model.getStreamedResponse(request)) {
    if (event.type === 'output_text_delta') {
      const delta = release.push(textOf(event, 'delta') ?? '');
      if (delta !== '') yield textEvent(delta, event);
      continue;
    }
    const response = event.type === 'response_done' ? objectOf(event, 'response') : null;
    if (response === null || tools.length === 0 || !isResponse(response)) {
      yield event;
      continue;
    }
    const outcome = await judged(response, { model, request, tools, options });
    const rest = release.rest();
    if (rest !== '' && replyOf(outcome).content === replyOf(response).content) {
      yield textEvent(rest);
    }
    yield doneEvent(event, outcome);
  }
}

function textEvent(delta: string, event?: AgentsEvent): AgentsEvent & { readonly delta: string } {
  return { ...event, type: 'output_text_delta', delta };
}

function doneEvent(
  event: AgentsEvent,
  response: AgentsResponse,
): AgentsEvent & { readonly response: AgentsResponse } {
  return { ...event, response };
}

function isResponse(value: object): value is AgentsResponse {
  return Array.isArray(Reflect.get(value, 'output')) && objectOf(value, 'usage') !== null;
}
