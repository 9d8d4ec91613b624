import type { GoalKind } from '../port/goal-kind.ts';

/** How a person goes on with a goal. */
export interface WaysOn {
  /** Gone on with by this. */
  readonly goOn: string;
  /** Said where a model was not reached: what is gone on with keeps the way to it. */
  readonly anew: string;
  /** Answers one of its holds with one decision; can be pasted as it is. */
  readonly decide: (holdId: string, decision: string) => string;
}

/** A goal, and how a command is called and told where that goal is. */
export interface PlacedGoal {
  /** Name of the goal. */
  readonly goalId: string;
  /** What goes behind every command, so that it finds the goal. */
  readonly dataFlag: string;
  /** How this program is called. */
  readonly program: string;
  /** The whole command that began it, where that is known. */
  readonly begunBy?: string;
}

/** One sentence for whoever gave a goal to the command of another kind. */
export function otherKind(kind: GoalKind, goal: PlacedGoal): string {
  return `${goal.goalId} is a ${kind}; go on with ${waysOn(kind, goal).goOn}.`;
}

/** The commands for a goal of a kind; the one place that knows which command takes which kind. */
export function waysOn(kind: GoalKind, place: PlacedGoal): WaysOn {
  const { goalId, dataFlag, program, begunBy } = place;
  const resume = `${program} resume ${goalId}${dataFlag}`;
  const review = `${program} review --resume ${goalId}${dataFlag}`;
  switch (kind) {
    case 'review':
      return {
        goOn: review,
        anew: `${KEPT} start a new review.`,
        decide: deciding(review, ' --reason TEXT'),
      };
    case 'development':
      // Its contract and its model are arguments of the command that began it.
      return {
        goOn:
          begunBy ??
          `${program} develop CONTRACT${dataFlag}, with the contract of ${goalId} and the options that it was begun with`,
        anew: `${KEPT} begin anew with another goal_id in the contract.`,
        decide: deciding(resume, ''),
      };
    case 'run':
    default:
      return { goOn: resume, anew: `${KEPT} start a new run.`, decide: deciding(resume, '') };
  }
}

const KEPT =
  'That asks the same model in the same way again: URL, key variable and proxy are kept. To correct one of them,';

function deciding(command: string, more: string): WaysOn['decide'] {
  return (holdId, decision) => `${command} --hold ${holdId} --decide ${decision}${more}`;
}
