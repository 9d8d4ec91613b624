import type { GoalState, HoldView, OperationView, TaskView } from '../goal-view.ts';
import type { PublicationState } from '../publication/publication-view.ts';

/**
 * Every legal change of state; what is not here is refused.
 *
 * A state with an empty list is final, with one exception: what an attempt that failed left recorded without being
 * done is performed anew by the next.
 */
const TRANSITIONS: Transitions = {
  goals: {
    ready: ['running', 'held', 'cancelled'],
    running: ['held', 'checking', 'failed', 'cancelled'],
    held: ['running', 'cancelled'],
    checking: ['completed', 'failed', 'held', 'cancelled'],
    completed: [],
    failed: [],
    cancelled: [],
  },
  tasks: {
    pending: ['ready', 'skipped', 'cancelled'],
    ready: ['running', 'held', 'cancelled'],
    running: ['ready', 'held', 'completed', 'failed', 'cancelled'],
    held: ['ready', 'completed', 'cancelled'],
    completed: [],
    failed: [],
    skipped: [],
    cancelled: [],
  },
  attempts: {
    admitted: ['running', 'suspended', 'cancelled'],
    running: ['running', 'suspended', 'ambiguous', 'recorded', 'failed', 'cancelled'],
    suspended: ['running', 'cancelled'],
    ambiguous: ['recorded', 'failed', 'superseded', 'cancelled'],
    recorded: [],
    failed: [],
    superseded: [],
    cancelled: [],
  },
  operations: {
    proposed: ['proposed', 'admitted', 'recorded', 'cancelled'],
    // A repeat without an effect may still ask a person.
    admitted: ['proposed', 'admitted', 'uncertain', 'recorded', 'cancelled'],
    uncertain: ['admitted', 'recorded', 'cancelled'],
    recorded: ['admitted', 'recorded'],
    cancelled: [],
  },
  holds: {
    open: ['decided'],
    decided: [],
  },
  publications: {
    intended: ['approved', 'revoked'],
    approved: ['sending', 'expired', 'revoked'],
    sending: ['accepted', 'unknown', 'rejected'],
    // There is no way back to sending: nothing is ever sent twice.
    unknown: ['unknown', 'accepted', 'rejected'],
    accepted: [],
    rejected: [],
    expired: [],
    revoked: [],
  },
};

/** Whether a change of state is legal. */
export function isLegal(table: string, from: string, to: string): boolean {
  return LEGAL.has(`${table} ${from} ${to}`);
}

/** State of a task; `interrupted` is what a view says of a row whose process died, and never written. */
export type TaskState = Exclude<TaskView['state'], 'interrupted'>;
/** State of an attempt, without the `interrupted` of views. */
export type AttemptState = Exclude<NonNullable<TaskView['attempt']>['state'], 'interrupted'>;
/** State of an operation that left a trace. */
export type OperationState = OperationView['state'];

interface Transitions {
  readonly goals: Targets<GoalState>;
  readonly tasks: Targets<TaskState>;
  readonly attempts: Targets<AttemptState>;
  readonly operations: Targets<OperationState>;
  readonly holds: Targets<HoldView['state']>;
  readonly publications: Targets<PublicationState>;
}

type Targets<State extends string> = { readonly [From in State]: readonly State[] };

const LEGAL: ReadonlySet<string> = new Set(
  Object.entries(TRANSITIONS).flatMap(([table, states]) =>
    Object.entries<readonly string[]>(states).flatMap(([from, targets]) =>
      targets.map((to) => `${table} ${from} ${to}`),
    ),
  ),
);
