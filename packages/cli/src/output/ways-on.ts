import type { GoalKind } from '../port/goal-kind.ts';

/** How a person goes on with a goal. */
export interface WaysOn {
  /** Gone on with by this. */
  readonly goOn: string;
  /** Answers one of its holds; the decision that stands first can be pasted as it is. */
  readonly decide: (holdId: string, decisions: readonly string[]) => string;
}

/** One sentence for whoever gave a goal to the command of another kind. */
export function otherKind(
  kind: GoalKind,
  goal: { readonly goalId: string; readonly dataFlag: string },
): string {
  return `${goal.goalId} is a ${kind}; go on with ${waysOn(kind, goal).goOn}.`;
}

/** The commands for a goal of a kind; the one place that knows which command takes which kind. */
export function waysOn(
  kind: GoalKind,
  goal: { readonly goalId: string; readonly dataFlag: string },
): WaysOn {
  const { goalId, dataFlag } = goal;
  const resume = `millforge resume ${goalId}${dataFlag}`;
  const review = `millforge review --resume ${goalId}${dataFlag}`;
  switch (kind) {
    case 'review':
      return { goOn: review, decide: deciding(review, ' --reason TEXT') };
    case 'development':
      // Its contract and its model are arguments of the command that began it.
      return {
        goOn: "the 'millforge develop' that began it, given again",
        decide: deciding(resume, ''),
      };
    case 'run':
    default:
      return { goOn: resume, decide: deciding(resume, '') };
  }
}

function deciding(command: string, more: string): WaysOn['decide'] {
  return (holdId, [first = '', ...others]) => {
    const line = `${command} --hold ${holdId} --decide ${first}${more}`;
    return others.length === 0 ? line : `${line}   (or ${others.join(', ')})`;
  };
}
