import {
  type JsonValue,
  MillforgeError,
  type Operation,
  type OperationOutcome,
  type Usage,
} from '@millforge/contracts';
import type { CompleteTask } from '../contract/read-goal-contract.ts';
import type {
  KernelObserver,
  ObservedAttemptEnd,
  ObservedGoalEnd,
  ObservedSpan,
  ObservedTaskEnd,
} from '../observer.ts';
import type { Scope } from '../scope.ts';
import type { Claim } from '../store/claim.ts';
import type { Position } from '../store/read-position.ts';
import type { Act } from './act.ts';

/** Tells an observer of one execution of a goal. */
export interface RunWatch {
  /** Takes what was read of the goal: what is over by then, ends with the state that it has. */
  see(position: Position): void;
  /** Follows an attempt while it is worked on. */
  attempt<T>(
    task: CompleteTask,
    claim: Claim,
    work: (watch: AttemptWatch) => Promise<T>,
  ): Promise<T>;
  /** Ends whatever is open; with the fault that ended the execution, if one did. */
  end(fault: unknown): void;
}

/** Tells an observer of the operations of one attempt. */
export interface AttemptWatch {
  /** Follows an operation that is performed, or whose record is replayed. */
  operation(
    asked: { readonly operation: Operation; readonly isReplayed: boolean },
    act: Act<JsonValue>,
    perform: (operation: Operation, act: Act<JsonValue>) => Promise<OperationOutcome>,
  ): Promise<OperationOutcome>;
}

/** Begins to follow an execution. */
export function createRunWatch(
  observer: KernelObserver,
  { scope, goalId }: { readonly scope: Scope; readonly goalId: string },
): RunWatch {
  const { tenant, resource, actor } = scope;
  const goal = begun<ObservedGoalEnd>(() => observer.goal({ tenant, resource, actor, goalId }));
  const tasks = new Map<string, WatchedTask>();
  let last: ObservedGoalEnd = { state: null, failure: null };

  const taskOf = ({ task_id: taskId, adapter }: CompleteTask): WatchedTask => {
    const known = tasks.get(taskId);
    if (known !== undefined) return known;
    const { kind, name, version } = adapter;
    const started = {
      goalId,
      taskId,
      adapterKind: kind,
      adapterName: name,
      adapterVersion: version,
    };
    const span = begun<ObservedTaskEnd>(() => observer.task(started, goal.own));
    const task = { span, attempts: new Set<WatchedAttempt>(), state: null };
    tasks.set(taskId, task);
    return task;
  };

  return {
    see({ goal: row, standings }) {
      last = { state: row.state, failure: row.failure_code };
      for (const { task: contract, taskRow, attempt } of standings) {
        const task = tasks.get(contract.task_id);
        if (task === undefined) continue;
        task.state = taskRow.state;
        for (const watched of task.attempts) {
          if (!watched.isOver) continue;
          task.attempts.delete(watched);
          watched.end(attempt?.number === watched.number ? attempt.state : null);
        }
      }
    },
    async attempt(contract, claim, work) {
      const task = taskOf(contract);
      const { taskId, number, fence } = claim;
      const span = begun<ObservedAttemptEnd>(() =>
        observer.attempt({ goalId, taskId, number, fence }, task.span.own),
      );
      const counts = { performed: 0, replayed: 0 };
      const watched: WatchedAttempt = {
        number,
        isOver: false,
        end: (state) => span.end({ state, ...counts }),
      };
      task.attempts.add(watched);
      try {
        return await span.within(() =>
          work(operationsOf(observer, { goalId, taskId, span: span.own, counts })),
        );
      } finally {
        watched.isOver = true;
      }
    },
    end(fault) {
      for (const task of tasks.values()) {
        for (const watched of task.attempts) watched.end(null);
        task.span.end({ state: task.state });
      }
      goal.end(fault === null ? last : { ...last, failure: codeOf(fault) });
    },
  };
}

interface WatchedTask {
  readonly span: Guarded<ObservedTaskEnd>;
  /** Attempts whose end was not told. */
  readonly attempts: Set<WatchedAttempt>;
  state: string | null;
}

interface WatchedAttempt {
  readonly number: number;
  /** Whether its work is over, so that its state is the next that is read. */
  isOver: boolean;
  readonly end: (state: string | null) => void;
}

function operationsOf(
  observer: KernelObserver,
  attempt: {
    readonly goalId: string;
    readonly taskId: string;
    readonly span: ObservedSpan<ObservedAttemptEnd>;
    readonly counts: { performed: number; replayed: number };
  },
): AttemptWatch {
  const { goalId, taskId, span: parent, counts } = attempt;
  return {
    async operation({ operation, isReplayed }, act, perform) {
      counts[isReplayed ? 'replayed' : 'performed'] += 1;
      const { key, step, kind, effect, repeat, subject = null } = operation;
      const named = { goalId, taskId, key, step, kind, subject };
      const started = { ...named, effect, repeat, isReplayed };
      const span = begun(() => observer.operation(started, parent));
      let usage: Usage | null = null;
      const counted: Act<JsonValue> = async (context) => {
        const result = await act(context);
        usage = result.usage ?? null;
        return result;
      };
      try {
        const outcome = await span.within(() => perform(operation, counted));
        span.end({ outcome: outcome.kind, failure: failureOf(outcome), usage });
        return outcome;
      } catch (error) {
        span.end({ outcome: 'suspended', failure: codeOf(error), usage });
        throw error;
      }
    },
  };
}

/** A span whose faults change nothing. */
interface Guarded<End> extends ObservedSpan<End> {
  /** The span as the observer gave it, for what begins below it. */
  readonly own: ObservedSpan<End>;
}

/** Begins a span; one that could not be begun follows nothing. */
function begun<End>(begin: () => ObservedSpan<End>): Guarded<End> {
  const span = attempted(begin) ?? { within: <T>(work: () => T): T => work(), end() {} };
  return {
    own: span,
    within: (work) => onceWithin(span, work),
    end(ended) {
      attempted(() => span.end(ended));
    },
  };
}

/** Does the work once, whatever the observer makes of it: what it gives or throws is the only result. */
function onceWithin<T>(span: Pick<ObservedSpan<never>, 'within'>, work: () => T): T {
  let done: { readonly value: T } | { readonly error: unknown } | null = null;
  const once = (): void => {
    if (done !== null) return;
    try {
      done = { value: work() };
    } catch (error) {
      done = { error };
    }
  };
  attempted(() => span.within(once));
  once();
  return resultOf<T>(done);
}

function resultOf<T>(done: { readonly value: T } | { readonly error: unknown } | null): T {
  if (done !== null && 'value' in done) return done.value;
  throw done?.error;
}

function attempted<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    // Whoever only watches must not be able to fail a run.
    return null;
  }
}

function failureOf(outcome: OperationOutcome): string | null {
  if (outcome.kind === 'failed') return outcome.error.code;
  return outcome.kind === 'refused' ? outcome.reason.code : null;
}

function codeOf(error: unknown): string {
  return MillforgeError.is(error) ? error.code : 'unknown';
}
