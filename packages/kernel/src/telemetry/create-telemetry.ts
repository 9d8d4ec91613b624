import { MillforgeError } from '@millforge/contracts';
import {
  type Attributes,
  type Context,
  context,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type {
  KernelObserver,
  ObservedGoalEnd,
  ObservedOperation,
  ObservedOperationEnd,
  ObservedSpan,
  ObservedTask,
} from '../observer.ts';
import {
  isTelemetryAttribute,
  TELEMETRY_ATTRIBUTES,
  type TelemetryAttribute,
} from './telemetry-attribute.ts';

/** What is told to OpenTelemetry. */
export interface TelemetryOptions {
  /** Makes the spans. Default the tracer `@millforge/kernel` of the registered provider. */
  readonly tracer?: Tracer;
  /** The only attributes that are told. Default {@link DEFAULT_TELEMETRY_ATTRIBUTES}. */
  readonly attributes?: readonly TelemetryAttribute[];
}

/** Ids, states, counts and tokens; not who works for whom. */
export const DEFAULT_TELEMETRY_ATTRIBUTES: readonly TelemetryAttribute[] = Object.entries(
  TELEMETRY_ATTRIBUTES,
).flatMap(([name, isDefault]) => (isDefault && isTelemetryAttribute(name) ? [name] : []));

/**
 * Makes spans of goals, tasks, attempts and operations, named by the conventions for generative AI where there are
 * names: `invoke_workflow`, `invoke_agent`, `chat`, `execute_tool`. What is replayed is named `replay …` and counts no
 * tokens a second time.
 *
 * Inputs, outputs and prompts are never told: the kernel does not hand them to whoever observes it.
 *
 * @throws `telemetry/attribute-unknown` for an attribute that no span carries.
 */
export function createTelemetry(options: TelemetryOptions = {}): KernelObserver {
  const tracer = options.tracer ?? trace.getTracer('@millforge/kernel');
  const allowed = new Set<string>(options.attributes ?? DEFAULT_TELEMETRY_ATTRIBUTES);
  for (const name of allowed) {
    if (isTelemetryAttribute(name)) continue;
    throw new MillforgeError(
      'telemetry/attribute-unknown',
      `No span carries the attribute ${name.slice(0, 80)}; expected one of ${Object.keys(TELEMETRY_ATTRIBUTES).join(', ')}.`,
    );
  }
  const told = (facts: Facts): Attributes =>
    Object.fromEntries(
      Object.entries(facts).flatMap(([name, value]) =>
        value !== null && allowed.has(name) ? [[name, value]] : [],
      ),
    );

  const follow = <End>(begun: Begun<End>, parent: object | null): ObservedSpan<End> => {
    const outer = (parent === null ? undefined : CONTEXTS.get(parent)) ?? context.active();
    const { name, kind = SpanKind.INTERNAL, facts } = begun;
    const span = tracer.startSpan(name, { kind, attributes: told(facts) }, outer);
    const inner = trace.setSpan(outer, span);
    const observed: ObservedSpan<End> = {
      within: (work) => context.with(inner, work),
      end(ended) {
        const { facts: last, error } = begun.ending(ended);
        span.setAttributes(told({ ...last, 'error.type': error }));
        if (error !== null) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
    CONTEXTS.set(observed, inner);
    return observed;
  };

  return {
    goal: ({ goalId, tenant, resource, actor }) =>
      follow<ObservedGoalEnd>(
        {
          name: 'invoke_workflow',
          facts: {
            'gen_ai.operation.name': 'invoke_workflow',
            'millforge.goal.id': goalId,
            'millforge.tenant': tenant,
            'millforge.resource': resource,
            'millforge.actor': actor,
          },
          ending: ({ state, failure }) => ({
            facts: { 'millforge.goal.state': state },
            error: failure,
          }),
        },
        null,
      ),
    task: (task, goal) =>
      follow(
        {
          ...taskSpan(task),
          ending: ({ state }) => ({
            facts: { 'millforge.task.state': state },
            error: state === 'failed' ? 'task-failed' : null,
          }),
        },
        goal,
      ),
    attempt: ({ goalId, taskId, number, fence }, task) =>
      follow(
        {
          name: 'attempt',
          facts: {
            'millforge.goal.id': goalId,
            'millforge.task.id': taskId,
            'millforge.attempt.number': number,
            'millforge.attempt.fence': fence,
          },
          ending: ({ state, performed, replayed }) => ({
            facts: {
              'millforge.attempt.state': state,
              'millforge.attempt.operations_performed': performed,
              'millforge.attempt.operations_replayed': replayed,
            },
            error: state === 'failed' || state === 'ambiguous' ? `attempt-${state}` : null,
          }),
        },
        task,
      ),
    operation: (operation, attempt) =>
      follow({ ...operationSpan(operation), ending: operationEnd }, attempt),
  };
}

/** What may be told, by name; null for what is not known. */
type Facts = { readonly [Name in TelemetryAttribute]?: string | number | boolean | null };

interface Begun<End> {
  readonly name: string;
  readonly kind?: SpanKind;
  readonly facts: Facts;
  readonly ending: (ended: End) => { readonly facts: Facts; readonly error: string | null };
}

/** Where the parts of a span belong; kept beside it, because the port knows nothing of contexts. */
const CONTEXTS = new WeakMap<object, Context>();

function taskSpan(task: ObservedTask): { readonly name: string; readonly facts: Facts } {
  const isAgent = task.adapterKind === 'model';
  return {
    name: isAgent ? `invoke_agent ${task.adapterName}` : `task ${task.taskId}`,
    facts: {
      ...(isAgent
        ? { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': task.adapterName }
        : {}),
      'millforge.goal.id': task.goalId,
      'millforge.task.id': task.taskId,
      'millforge.adapter.kind': task.adapterKind,
      'millforge.adapter.name': task.adapterName,
      'millforge.adapter.version': task.adapterVersion,
    },
  };
}

function operationSpan(operation: ObservedOperation): Omit<Begun<never>, 'ending'> {
  const { kind, subject, isReplayed } = operation;
  const convention = CONVENTIONS[kind];
  // A replay talks to nobody: under the name of the convention its calls would be counted twice.
  const isNamed = convention !== null && !isReplayed;
  return {
    name: [isReplayed ? `replay ${kind}` : (convention ?? kind), subject ?? ''].join(' ').trim(),
    kind: isNamed && kind === 'model' ? SpanKind.CLIENT : SpanKind.INTERNAL,
    facts: {
      ...(isNamed
        ? {
            'gen_ai.operation.name': convention,
            'gen_ai.conversation.id': `${operation.goalId}/${operation.taskId}`,
            ...(kind === 'tool' ? { 'gen_ai.tool.name': subject } : {}),
          }
        : {}),
      'millforge.goal.id': operation.goalId,
      'millforge.task.id': operation.taskId,
      'millforge.operation.key': operation.key,
      'millforge.operation.step': operation.step,
      'millforge.operation.kind': kind,
      'millforge.operation.effect': operation.effect,
      'millforge.operation.repeat': operation.repeat,
      'millforge.operation.replayed': isReplayed,
    },
  };
}

function operationEnd({ outcome, failure, usage }: ObservedOperationEnd): {
  readonly facts: Facts;
  readonly error: string | null;
} {
  return {
    facts: {
      'millforge.operation.outcome': outcome,
      'gen_ai.usage.input_tokens': usage?.input_tokens ?? null,
      'gen_ai.usage.output_tokens': usage?.output_tokens ?? null,
      'millforge.usage.cost_micros': usage?.cost_micros ?? null,
      'millforge.usage.tool_calls': usage?.tool_calls ?? null,
    },
    // A run that stops in the middle of an operation has no fault in it.
    error: outcome === 'suspended' || outcome === 'done' ? null : (failure ?? outcome),
  };
}

const CONVENTIONS = { model: 'chat', tool: 'execute_tool', read: null } as const;
