import {
  type Clock,
  createRedactor,
  type ModelClient,
  type ModelCompletion,
  type ModelReply,
  type ModelRequest,
  type OperationLog,
  type RunOutcome,
} from '@millforge/contracts';
import {
  type ManualClock,
  type MemoryTrail,
  manualClock,
  memoryTrail,
  sequentialIds,
} from '@millforge/contracts/testing';
import { createToolExecutor } from '@millforge/registry';
import {
  type MemoryOperationLog,
  memoryOperationLog,
  type RunEvent,
  type RunOptions,
  runPlan,
} from '@millforge/runtime';
import type { Built } from './builder-plan.ts';

/** A reply in short: text, calls as name and arguments, or a whole completion. */
export type Scripted = string | readonly ScriptedCall[] | ModelCompletion | Partial<ModelReply>;

export type ScriptedCall = readonly [name: string, args?: unknown];

/** A model that answers by the number of its turn, and keeps what it was asked. */
export interface ScriptedClient extends ModelClient {
  readonly requests: ModelRequest[];
}

export function scriptedClient(script: readonly Scripted[]): ScriptedClient {
  const requests: ModelRequest[] = [];
  return {
    requests,
    async complete(request, { onDelta }) {
      const turn = request.messages.filter((message) => message.role === 'assistant').length;
      requests.push({ messages: [...request.messages], tools: request.tools });
      const next = script[turn] ?? script.at(-1) ?? '';
      if (typeof next === 'object' && 'kind' in next) return next;
      const reply = replyOf(next);
      for (const piece of reply.content?.match(/.{1,7}/gsu) ?? [])
        onDelta?.({ kind: 'text', text: piece });
      return { kind: 'reply', reply, attempts: 1 };
    },
  };
}

function replyOf(short: string | readonly ScriptedCall[] | Partial<ModelReply>): ModelReply {
  const given =
    typeof short === 'string'
      ? { content: short }
      : isCalls(short)
        ? {
            tool_calls: short.map(([name, args = {}], index) => ({
              id: `call_${index}`,
              name,
              arguments: typeof args === 'string' ? args : JSON.stringify(args),
            })),
          }
        : short;
  return {
    content: null,
    reasoning: null,
    tool_calls: [],
    finish_reason: 'stop',
    usage: null,
    provider_model: null,
    ...given,
  };
}

function isCalls(
  short: readonly ScriptedCall[] | Partial<ModelReply>,
): short is readonly ScriptedCall[] {
  return Array.isArray(short);
}

/** Everything that a run leaves behind. */
export interface RunRecord {
  readonly outcome: RunOutcome;
  readonly model: ScriptedClient;
  readonly trail: MemoryTrail;
  readonly events: readonly RunEvent[];
  readonly log: MemoryOperationLog;
  readonly clock: ManualClock;
}

export async function runScript(
  built: Built,
  script: readonly Scripted[],
  options: Partial<RunOptions> & { readonly log?: MemoryOperationLog } = {},
): Promise<RunRecord> {
  const clock = manualClock();
  const model = scriptedClient(script);
  const trail = memoryTrail();
  const events: RunEvent[] = [];
  const { log = memoryOperationLog({ clock, ids: sequentialIds() }), ...overrides } = options;
  const outcome = await runPlan(built.reference, {
    ...runOptions(built, { clock, model, operations: log }),
    trail,
    onEvent: (event) => events.push(event),
    ...overrides,
  });
  return { outcome, model, trail, events, log, clock };
}

export function runOptions(
  built: Built,
  parts: {
    readonly clock: Clock;
    readonly model: ModelClient;
    readonly operations: OperationLog;
  },
): RunOptions {
  const redactor = createRedactor();
  return {
    task: 'Mend the test.',
    runId: 'run_0001',
    workspace: null,
    grants: built.plan.required_capabilities,
    executor: (plan) =>
      createToolExecutor({
        plan,
        snapshot: built.snapshot,
        implementations: built.snapshot.implementations,
        clock: parts.clock,
        redactor,
      }),
    trail: memoryTrail(),
    redactor,
    ...parts,
  };
}

/** What a model was told in answer to its calls of one turn, by own call id. */
export function resultsOf(model: ScriptedClient): ReadonlyMap<string, string> {
  const last = model.requests.at(-1)?.messages ?? [];
  return new Map(
    last.flatMap((message) =>
      message.role === 'tool' ? [[message.tool_call_id, message.content]] : [],
    ),
  );
}
