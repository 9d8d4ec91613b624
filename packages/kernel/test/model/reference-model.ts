import { unreachable } from '@millforge/contracts';

/** What an act does when it is performed; the last two have their effect and then lose their process, by death or silence. */
export type Behaviour =
  | 'done'
  | 'failed'
  | 'uncertain'
  | 'unavailable'
  | 'stopping'
  | 'dying'
  | 'freezing';

/** How an operation may be repeated. */
export type Kind = 'model' | 'read' | 'keyed' | 'unsafe' | 'looked';

/** The operations of the one task, in their order. */
export const PROGRAM: readonly Kind[] = ['model', 'unsafe', 'keyed', 'read', 'looked', 'unsafe'];

/** One operation as the model sees it. */
export interface ModelOperation {
  state: 'none' | 'uncertain' | 'admitted' | 'done' | 'failed' | 'cancelled';
  acts: number;
  mayRepeat: boolean;
  isAbsent: boolean;
  /** Whether the last performance had its effect, which `looked` operations can find out. */
  hasHappened: boolean;
  /** Whether the process that performed it last is only silent, so that its act may still come. */
  mayStillAct: boolean;
}

/** A goal as it ought to stand, with nothing of how it is stored. */
export interface Model {
  state: 'ready' | 'running' | 'held' | 'completed' | 'cancelled';
  attempt: 'none' | 'running' | 'interrupted' | 'suspended' | 'recorded' | 'cancelled';
  readonly operations: ModelOperation[];
  /** Place of the operation that is in doubt; null when nobody is asked. */
  held: number | null;
  holds: number;
  reserved: number;
  used: number;
}

/** A goal that was just admitted. */
export function freshModel(): Model {
  return {
    state: 'ready',
    attempt: 'none',
    operations: PROGRAM.map(() => ({
      state: 'none',
      acts: 0,
      mayRepeat: false,
      isAbsent: false,
      hasHappened: false,
      mayStillAct: false,
    })),
    held: null,
    holds: 0,
    reserved: 0,
    used: 0,
  };
}

/** Runs the goal; every act takes the next behaviour, and is done when there is none left. */
export function runModel(model: Model, behaviours: readonly Behaviour[]): void {
  if (model.state !== 'ready' && model.state !== 'running') return;
  model.state = 'running';
  model.reserved = 1;
  const queue = [...behaviours];
  for (const [place, operation] of model.operations.entries()) {
    const end = performModel(operation, PROGRAM[place] ?? 'read', queue);
    if (end === 'next') continue;
    model.attempt = end === 'held' ? 'suspended' : end;
    if (end !== 'held') return;
    model.state = 'held';
    model.held = place;
    model.holds += 1;
    return;
  }
  model.state = 'completed';
  model.attempt = 'recorded';
  model.reserved = 0;
  model.used = 1;
}

/** Decides the open hold. */
export function decideModel(model: Model, decision: 'retry' | 'accept' | 'cancel'): void {
  const operation = model.held === null ? undefined : model.operations[model.held];
  if (model.state !== 'held' || operation === undefined) return;
  if (decision === 'cancel') {
    cancelModel(model);
    return;
  }
  if (decision === 'retry') operation.mayRepeat = true;
  else operation.state = 'done';
  model.state = 'running';
  model.held = null;
}

/** Cancels the goal. */
export function cancelModel(model: Model): void {
  if (model.state === 'completed' || model.state === 'cancelled') return;
  model.state = 'cancelled';
  if (['running', 'interrupted', 'suspended'].includes(model.attempt)) model.attempt = 'cancelled';
  for (const operation of model.operations) {
    if (operation.state === 'uncertain' || operation.state === 'admitted') {
      operation.state = 'cancelled';
    }
  }
  model.held = null;
  model.used += model.reserved;
  model.reserved = 0;
}

function performModel(
  operation: ModelOperation,
  kind: Kind,
  queue: Behaviour[],
): 'next' | 'suspended' | 'interrupted' | 'running' | 'held' {
  if (operation.state === 'done' || operation.state === 'failed') return 'next';
  // What a person was asked about has a row, which is admitted again whatever it may do.
  const leavesTrace = kind !== 'read' || operation.state !== 'none';
  const mayHaveEffect = kind !== 'model' && kind !== 'read';
  let isOpen = operation.state !== 'none';
  // A person who lets it be repeated lets it be repeated once.
  let doubts = operation.mayRepeat ? MAX_DOUBTS - 1 : 0;
  let lost = 0;
  for (;;) {
    if (isOpen && !operation.isAbsent && !operation.mayRepeat) {
      const answer = lookModel(operation, { kind, doubts });
      if (answer === 'happened') {
        operation.state = 'done';
        return 'next';
      }
      if (answer === 'held') {
        operation.state = 'uncertain';
        return 'held';
      }
    }
    operation.acts += 1;
    operation.mayRepeat = false;
    operation.isAbsent = false;
    operation.hasHappened = true;
    operation.mayStillAct = false;
    const behaviour = queue.shift() ?? 'done';
    switch (behaviour) {
      case 'done':
        operation.state = 'done';
        return 'next';
      case 'stopping':
        operation.state = 'done';
        return 'suspended';
      case 'failed':
        operation.state = 'failed';
        return 'next';
      case 'unavailable':
        operation.hasHappened = false;
        if (leavesTrace) operation.state = mayHaveEffect ? 'uncertain' : 'admitted';
        operation.isAbsent = mayHaveEffect;
        return 'suspended';
      case 'dying':
      case 'freezing':
        if (leavesTrace) operation.state = 'admitted';
        operation.mayStillAct = behaviour === 'freezing';
        return behaviour === 'freezing' ? 'running' : 'interrupted';
      case 'uncertain':
        doubts += 1;
        lost += 1;
        isOpen = true;
        // Every other lost answer is to an act that did not happen.
        operation.hasHappened = lost % 2 === 1;
        if (leavesTrace) operation.state = 'uncertain';
    }
  }
}

function lookModel(
  operation: ModelOperation,
  { kind, doubts }: { readonly kind: Kind; readonly doubts: number },
): 'again' | 'happened' | 'held' {
  switch (kind) {
    case 'model':
    case 'read':
    case 'keyed':
      return doubts >= MAX_DOUBTS ? 'held' : 'again';
    case 'unsafe':
      return 'held';
    case 'looked':
      // What has not happened yet may happen after the look.
      if (operation.mayStillAct) return 'held';
      if (operation.hasHappened) return 'happened';
      return doubts >= MAX_DOUBTS ? 'held' : 'again';
    default:
      return unreachable(kind);
  }
}

/** Lost answers after which a person is asked. */
const MAX_DOUBTS = 3;
