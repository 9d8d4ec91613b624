import type { OperationEffect, OperationRepeat, Usage } from '@millforge/contracts';
import type { GoalState } from './goal-view.ts';

/**
 * Told what the kernel runs in this process, while it runs: names, states and counts, never inputs, outputs or
 * prompts. It changes nothing, and whatever it throws is passed over.
 */
export interface KernelObserver {
  /** Begins to follow one execution of a goal. */
  goal(started: ObservedGoal): ObservedSpan<ObservedGoalEnd>;
  /** Begins to follow a task of it, over all of its attempts in this execution. */
  task(started: ObservedTask, goal: ObservedSpan<ObservedGoalEnd>): ObservedSpan<ObservedTaskEnd>;
  /** Begins to follow an attempt. */
  attempt(
    started: ObservedAttempt,
    task: ObservedSpan<ObservedTaskEnd>,
  ): ObservedSpan<ObservedAttemptEnd>;
  /** Begins to follow an operation that is performed, or whose record is replayed. */
  operation(
    started: ObservedOperation,
    attempt: ObservedSpan<ObservedAttemptEnd>,
  ): ObservedSpan<ObservedOperationEnd>;
}

/** Something that is followed until it ends. */
export interface ObservedSpan<End> {
  /** Runs work so that whatever it does counts as a part of this. */
  within<T>(work: () => T): T;
  /** Ends it, once. */
  end(ended: End): void;
}

/** An execution of a goal. */
export interface ObservedGoal {
  /** Tenant of the goal. */
  readonly tenant: string;
  /** Resource in whose name it runs. */
  readonly resource: string;
  /** Who runs it. */
  readonly actor: string;
  /** Name of the goal. */
  readonly goalId: string;
}

/** How an execution of a goal ended. */
export interface ObservedGoalEnd {
  /** State of the goal as it was last seen; null when it never was. */
  readonly state: GoalState | null;
  /** Code of the goal's failure, or of the fault that ended the execution; null for neither. */
  readonly failure: string | null;
}

/** A task. */
export interface ObservedTask {
  /** Name of its goal. */
  readonly goalId: string;
  /** Name of the task. */
  readonly taskId: string;
  /** What its adapter is. */
  readonly adapterKind: 'model' | 'tool' | 'verify';
  /** Name of its adapter. */
  readonly adapterName: string;
  /** Version of its adapter. */
  readonly adapterVersion: string;
}

/** How a task stood when the execution was done with it. */
export interface ObservedTaskEnd {
  /** Its state; null when it is not known. */
  readonly state: string | null;
}

/** An attempt. */
export interface ObservedAttempt {
  /** Name of its goal. */
  readonly goalId: string;
  /** Name of its task. */
  readonly taskId: string;
  /** Its number, from 1. */
  readonly number: number;
  /** Number of its claim. */
  readonly fence: number;
}

/** How an attempt stood when the execution was done with it. */
export interface ObservedAttemptEnd {
  /** Its state; null when it is not known. */
  readonly state: string | null;
  /** Operations that were performed. */
  readonly performed: number;
  /** Operations whose record was replayed. */
  readonly replayed: number;
}

/** An operation. */
export interface ObservedOperation {
  /** Name of its goal. */
  readonly goalId: string;
  /** Name of its task. */
  readonly taskId: string;
  /** Its key. */
  readonly key: string;
  /** Its step. */
  readonly step: number;
  /** What is spoken to. */
  readonly kind: 'model' | 'tool' | 'read';
  /** Name of what is spoken to, such as a tool's; null when it was not given. */
  readonly subject: string | null;
  /** The strongest thing it may do. */
  readonly effect: OperationEffect;
  /** Whether it may be performed again. */
  readonly repeat: OperationRepeat;
  /** Whether its record is replayed instead. */
  readonly isReplayed: boolean;
}

/** How an operation came out. */
export interface ObservedOperationEnd {
  /** Its outcome; `suspended` when the run ended before it had one. */
  readonly outcome: 'done' | 'failed' | 'refused' | 'suspended';
  /** Code of a failure or refusal; null for none. */
  readonly failure: string | null;
  /** What was used, as far as the act said; null for a replay. */
  readonly usage: Usage | null;
}
