import type { JsonValue, RunHold } from '@millforge/contracts';
import type { GoalView, HoldView, Kernel, OperationView, Scope } from '@millforge/kernel';
import { readAttestation } from './attestation.ts';
import { millforgeError } from './millforge-error.ts';
import { toRunHold } from './run-result.ts';

/** What holds are read from. */
interface HoldParts {
  /** The open trail. */
  readonly kernel: Kernel;
  /** On whose behalf. */
  readonly scope: Scope;
}

/** The questions of a run that nobody has answered, with what a person needs to answer them. */
export function readHolds(parts: HoldParts, goal: GoalView): Promise<readonly RunHold[]> {
  const open = goal.holds.filter((hold) => hold.state === 'open');
  return Promise.all(
    open.map(async (hold) => toRunHold(hold, await readHeldOperation(parts, goal, hold))),
  );
}

/** The hold that a person means; whether it can still be decided is the kernel's to say. */
export function chooseHold(goal: GoalView, holdId: string | null): HoldView {
  const open = goal.holds.filter((hold) => hold.state === 'open');
  const chosen =
    holdId === null && open.length === 1
      ? open[0]
      : goal.holds.find((hold) => hold.hold_id === holdId);
  if (chosen !== undefined) return chosen;
  const names = open.map((hold) => hold.hold_id).join(', ');
  throw millforgeError(
    'millforge/usage',
    names === ''
      ? `${goal.goal_id} is ${standingOf(goal)} and has no open hold; there is nothing to decide.`
      : `${goal.goal_id} has the open ${open.length === 1 ? 'hold' : 'holds'} ${names}; name one of them.`,
  );
}

/** A goal counts as running until it ends; whether a process is at it shows in its owner. */
function standingOf({
  state,
  owner,
}: Pick<GoalView, 'state' | 'owner'>): GoalView['state'] | 'interrupted' {
  const isGoingOn = state === 'ready' || state === 'running' || state === 'checking';
  return isGoingOn && owner === null ? 'interrupted' : state;
}

/** The outcome that an `accept` records: what the person gave, or that the call happened unseen. */
export async function attestedOutcome(
  parts: HoldParts,
  goal: GoalView,
  { hold, given }: { readonly hold: HoldView; readonly given: JsonValue | undefined },
): Promise<JsonValue> {
  const operation = await readHeldOperation(parts, goal, hold);
  if (given === undefined) return toRunHold(hold, operation).outcome_template;
  return operation?.kind === 'tool' ? readAttestation(given) : given;
}

async function readHeldOperation(
  { kernel, scope }: HoldParts,
  goal: GoalView,
  { operation_key: key, task_id: taskId }: HoldView,
): Promise<OperationView | null> {
  return key === null ? null : kernel.readOperation(scope, goal.goal_id, { taskId, key });
}
