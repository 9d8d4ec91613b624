import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type JsonValue, operationFailed, operationUnavailable } from '@millforge/contracts';
import type { KernelObserver, TaskContext } from '@millforge/kernel';
import {
  createTelemetry,
  DEFAULT_TELEMETRY_ATTRIBUTES,
  type TelemetryAttribute,
} from '@millforge/kernel/telemetry';
import { context as contexts, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  adapter,
  contract,
  modelTurn,
  open,
  outcome,
  randomIds,
  scope,
  systemClock,
  temporaryDirectory,
  toolCall,
} from '../fixture.ts';
import { openWatched } from './guide-example.ts';

beforeAll(() => {
  contexts.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});

/** Telemetry whose spans stay in memory. */
function recorded(attributes?: readonly TelemetryAttribute[]) {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer('test');
  const observer = createTelemetry({
    tracer,
    ...(attributes === undefined ? {} : { attributes }),
  });
  return { observer, tracer, spans: () => exporter.getFinishedSpans() };
}

const SECRET = 'the-words-of-the-prompt';

/** Asks a model, calls a tool, and ends; every text that is handed in or out holds the same words. */
async function work(context: TaskContext): Promise<JsonValue> {
  const said = { value: { said: SECRET }, usage: { input_tokens: 12, output_tokens: 3 } };
  const turn = modelTurn(1, { input: { prompt: SECRET }, describe: SECRET });
  await context.perform(turn, async () => said);
  const call = toolCall('tool/1/0', { subject: 'read', input: { path: SECRET } });
  await context.perform(call, async () => {
    throw operationFailed({ code: 'tool-broken', message: SECRET });
  });
  return outcome({ summary: SECRET });
}

/** Runs the goal once in a kernel with an observer. */
async function run(
  directory: string,
  observer: KernelObserver,
  program: (context: TaskContext) => Promise<JsonValue> = work,
) {
  await using kernel = await open(directory, { observer });
  await kernel.admitGoal(scope, contract('goal-1', { inputs: { text: SECRET } }));
  return await kernel.runGoal(scope, 'goal-1', { adapters: [adapter(program)] }).done;
}

/** Names of spans, each behind the names of those that it is a part of. */
function paths(spans: readonly ReadableSpan[]): readonly string[] {
  const byId = new Map(spans.map((span) => [span.spanContext().spanId, span]));
  const pathOf = (span: ReadableSpan): string => {
    const parent = byId.get(span.parentSpanContext?.spanId ?? '');
    return parent === undefined ? span.name : `${pathOf(parent)} > ${span.name}`;
  };
  return spans.map(pathOf).toSorted();
}

function named(spans: readonly ReadableSpan[], name: string): ReadableSpan {
  const found = spans.find((span) => span.name === name);
  if (found === undefined) throw new Error(`There is no span ${name}.`);
  return found;
}

test('makes a span of the goal, its task, its attempt and each operation, by the names of the conventions', async () => {
  const { observer, spans } = recorded();
  await run(temporaryDirectory(), observer);
  const task = 'invoke_workflow > invoke_agent harness';
  expect(paths(spans())).toEqual([
    'invoke_workflow',
    task,
    `${task} > attempt`,
    `${task} > attempt > chat`,
    `${task} > attempt > execute_tool read`,
  ]);
  expect(named(spans(), 'chat')).toMatchObject({
    kind: SpanKind.CLIENT,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.conversation.id': 'goal-1/run',
      'gen_ai.usage.input_tokens': 12,
      'gen_ai.usage.output_tokens': 3,
      'millforge.operation.key': 'model/1',
      'millforge.operation.outcome': 'done',
      'millforge.operation.replayed': false,
    },
    status: { code: SpanStatusCode.UNSET },
  });
  expect(named(spans(), 'execute_tool read')).toMatchObject({
    attributes: {
      'gen_ai.tool.name': 'read',
      'error.type': 'tool-broken',
      'millforge.operation.outcome': 'failed',
    },
    status: { code: SpanStatusCode.ERROR },
  });
  expect(named(spans(), 'attempt').attributes).toMatchObject({
    'millforge.attempt.number': 1,
    'millforge.attempt.state': 'recorded',
    'millforge.attempt.operations_performed': 2,
    'millforge.attempt.operations_replayed': 0,
  });
  expect(named(spans(), 'invoke_agent harness').attributes['millforge.task.state']).toBe(
    'completed',
  );
  expect(named(spans(), 'invoke_workflow').attributes['millforge.goal.state']).toBe('completed');
});

test('tells no input, output, prompt or message, and only what is allowed', async () => {
  const { observer, spans } = recorded();
  await run(temporaryDirectory(), observer);
  const told = spans().map(({ name, attributes, status, events }) => ({
    name,
    attributes,
    status,
    events,
  }));
  expect(JSON.stringify(told)).not.toContain(SECRET);
  expect(JSON.stringify(told)).not.toContain(scope.actor);
  const names = new Set(spans().flatMap(({ attributes }) => Object.keys(attributes)));
  expect([...names].filter((name) => !isDefault(name))).toEqual([]);
});

function isDefault(name: string): boolean {
  return DEFAULT_TELEMETRY_ATTRIBUTES.some((allowed) => allowed === name);
}

test('tells what it is asked to tell, and nothing besides', async () => {
  const { observer, spans } = recorded(['millforge.actor', 'error.type']);
  await run(temporaryDirectory(), observer);
  expect(named(spans(), 'invoke_workflow').attributes).toEqual({ 'millforge.actor': scope.actor });
  expect(named(spans(), 'chat').attributes).toEqual({});
  expect(named(spans(), 'execute_tool read').attributes).toEqual({ 'error.type': 'tool-broken' });
});

test('keeps what is replayed apart, and counts no tokens a second time', async () => {
  const directory = temporaryDirectory();
  const first = recorded();
  const interrupted = await run(directory, first.observer, async (context) => {
    await context.perform(modelTurn(1), async () => ({
      value: 'one',
      usage: { input_tokens: 5, output_tokens: 1 },
    }));
    await context.perform(modelTurn(2), async () => {
      throw operationUnavailable({ code: 'connection', message: 'Nobody answers.' });
    });
    return outcome();
  });
  expect(interrupted.interruption?.reason).toBe('unavailable');
  const second = recorded();
  await run(directory, second.observer, async (context) => {
    await context.perform(modelTurn(1), async () => ({ value: 'never' }));
    await context.perform(modelTurn(2), async () => ({
      value: 'two',
      usage: { input_tokens: 7, output_tokens: 1 },
    }));
    return outcome();
  });

  expect(first.spans().map(({ name }) => name)).toContain('chat');
  expect(named(first.spans(), 'attempt').attributes['millforge.attempt.state']).toBe('suspended');
  expect(
    first.spans().map(({ attributes }) => attributes['millforge.operation.outcome'] ?? null),
  ).toContain('suspended');
  const replayed = named(second.spans(), 'replay model');
  expect(replayed.attributes).toMatchObject({ 'millforge.operation.replayed': true });
  expect(Object.keys(replayed.attributes).filter((name) => name.startsWith('gen_ai'))).toEqual([]);
  const tokens = [...first.spans(), ...second.spans()].map(
    ({ attributes }) => attributes['gen_ai.usage.input_tokens'],
  );
  expect(tokens.filter((count) => count !== undefined)).toEqual([5, 7]);
  expect(named(second.spans(), 'attempt').attributes).toMatchObject({
    'millforge.attempt.operations_performed': 1,
    'millforge.attempt.operations_replayed': 1,
  });
});

test('lets what an act does count as a part of its operation', async () => {
  const { observer, tracer, spans } = recorded();
  await run(temporaryDirectory(), observer, async (given) => {
    await given.perform(modelTurn(1), async () => {
      await Promise.resolve();
      tracer.startSpan('POST').end();
      return { value: 'one' };
    });
    return outcome();
  });
  expect(paths(spans())).toContain(
    'invoke_workflow > invoke_agent harness > attempt > chat > POST',
  );
});

test('takes its place below whatever the host is following', async () => {
  const { observer, tracer, spans } = recorded();
  const request = tracer.startSpan('request');
  await contexts.with(trace.setSpan(contexts.active(), request), () =>
    run(temporaryDirectory(), observer),
  );
  request.end();
  expect(paths(spans())).toContain('request > invoke_workflow');
});

test('ends every span that it began, also where a run fails or its program throws', async () => {
  const { observer, spans } = recorded();
  const view = await run(temporaryDirectory(), observer, async () => {
    throw new Error(SECRET);
  });
  expect(view.state).toBe('failed');
  expect(named(spans(), 'attempt')).toMatchObject({
    attributes: { 'millforge.attempt.state': 'failed' },
    status: { code: SpanStatusCode.ERROR },
  });
  expect(named(spans(), 'invoke_workflow').attributes).toMatchObject({
    'millforge.goal.state': 'failed',
    'error.type': 'adapter-threw',
  });
});

test('follows every attempt of a task below the one span of the task', async () => {
  const { observer, spans } = recorded();
  const kernel = await open(temporaryDirectory(), { observer });
  await kernel.admitGoal(scope, contract('goal-1', { task: { max_attempts: 3 } }));
  let tries = 0;
  const flaky = adapter(async () => {
    tries += 1;
    if (tries < 3) throw operationFailed({ code: 'not-yet', message: 'Not yet.' });
    return outcome();
  });
  await kernel.runGoal(scope, 'goal-1', { adapters: [flaky] }).done;
  const states = spans()
    .filter(({ name }) => name === 'attempt')
    .map(({ attributes }) => attributes['millforge.attempt.state']);
  expect(states).toEqual(['failed', 'failed', 'recorded']);
  expect(spans().filter(({ name }) => name.startsWith('invoke_agent'))).toHaveLength(1);
});

test('speaks through the registered provider, as the guide does', async () => {
  const exporter = new InMemorySpanExporter();
  const spanProcessors = [new SimpleSpanProcessor(exporter)];
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }));
  onTestFinished(() => trace.disable());
  const path = join(temporaryDirectory(), 'trail.db');
  await using kernel = await openWatched(path, { clock: systemClock, ids: randomIds });
  await kernel.admitGoal(scope, contract('goal-1'));
  await kernel.runGoal(scope, 'goal-1', { adapters: [adapter(work)] }).done;
  const workflow = named(exporter.getFinishedSpans(), 'invoke_workflow');
  expect(workflow.instrumentationScope.name).toBe('@millforge/kernel');
  expect(workflow.attributes).toMatchObject({
    'millforge.goal.id': 'goal-1',
    'millforge.tenant': scope.tenant,
  });
});

test('refuses an attribute that no span carries', () => {
  const attributes = ['millforge.prompt'] as unknown as readonly TelemetryAttribute[]; // A program without types.
  expect(() => createTelemetry({ attributes })).toThrow(
    expect.objectContaining({ code: 'telemetry/attribute-unknown' }),
  );
});

function fail(): never {
  throw new Error('The observer is broken.');
}

test.each(['goal', 'task', 'attempt', 'operation', 'within', 'end'] as const)(
  'runs as ever when the observer throws: %s',
  async (where) => {
    const span = {
      within: <T>(inner: () => T): T => (where === 'within' ? fail() : inner()),
      end: () => (where === 'end' ? fail() : undefined),
    };
    const begin = (what: string) => (what === where ? fail() : span);
    const view = await run(temporaryDirectory(), {
      goal: () => begin('goal'),
      task: () => begin('task'),
      attempt: () => begin('attempt'),
      operation: () => begin('operation'),
    });
    expect(view.state).toBe('completed');
    expect(view.usage).toMatchObject({ input_tokens: 12 });
  },
);

test.each([
  ['throws after it', (inner: () => unknown) => void inner()],
  ['never does it', () => undefined],
  ['does it twice', (inner: () => unknown) => void [inner(), inner()]],
  ['does it later', (inner: () => unknown) => void Promise.resolve().then(inner)],
])('does the work once when the observer %s', async (what, enter) => {
  let acts = 0;
  const span = {
    within(inner: () => unknown): never {
      enter(inner);
      if (what === 'throws after it') throw new Error('The observer is broken.');
      // A program without types can return anything.
      return null as never;
    },
    end() {},
  };
  const view = await run(
    temporaryDirectory(),
    { goal: () => span, task: () => span, attempt: () => span, operation: () => span },
    async (given) => {
      const { kind } = await given.perform(modelTurn(1), async () => {
        acts += 1;
        return { value: 'one' };
      });
      return outcome({ kind_of_turn: kind });
    },
  );
  expect([view.state, acts]).toEqual(['completed', 1]);
});

test('leaves the root entry without the peer', () => {
  const root = join(import.meta.dirname, '../../src');
  const sources = ['index.ts', 'open-kernel.ts', 'observer.ts', 'run/run-watch.ts'];
  for (const source of sources) {
    expect(readFileSync(join(root, source), 'utf8')).not.toContain('@opentelemetry');
  }
});
