import type { Scenario } from './scenario.ts';
import { scriptedGoal } from './scripted-goal.ts';
import { tasksGoal } from './tasks-goal.ts';

/** Every goal that is crashed, by its name. */
export const SCENARIOS: { readonly [name: string]: Scenario } = {
  harness: scriptedGoal,
  tasks: tasksGoal,
};
