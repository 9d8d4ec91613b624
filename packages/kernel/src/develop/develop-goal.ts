import type { GoalContract, TaskContract } from '../contract/goal-contract.ts';
import { bindingOf } from './adapter-binding.ts';
import type { CompleteDevelopContract } from './develop-contract.ts';
import type { DevelopParts } from './develop-parts.ts';
import { type AdmittedWith, toInputs } from './develop-terms.ts';
import { type PlannedTask, planTasks } from './task-plan.ts';

/** The goal of a development: its phases as tasks, its last verdicts as required checks. */
export function developGoal(
  contract: CompleteDevelopContract,
  {
    workers,
    admitted,
  }: {
    readonly workers: DevelopParts['workers'];
    readonly admitted: AdmittedWith;
  },
): GoalContract {
  const { limits, observed_limits, labels } = contract;
  const tasks = planTasks(contract).map((task) => taskOf(task, contract, workers));
  return {
    kind: 'goal_contract',
    schema_version: '1.0',
    goal_id: contract.goal_id,
    objective: contract.objective,
    inputs: toInputs(contract, admitted),
    tasks,
    required_checks: ['verify', 'health'],
    limits: {
      // A person who was asked can have a task repeated.
      units: tasks.length * REPEATS,
      ...(limits.wall_ms === null ? {} : { wall_ms: limits.wall_ms }),
      ...(limits.artifact_bytes === null ? {} : { artifact_bytes: limits.artifact_bytes }),
    },
    ...(observed_limits === null ? {} : { observed_limits }),
    labels: { ...labels, profile: 'develop' },
  };
}

function taskOf(
  task: PlannedTask,
  contract: CompleteDevelopContract,
  workers: DevelopParts['workers'],
): TaskContract {
  const common = {
    task_id: task.taskId,
    depends_on: task.reads,
    timeout_ms: contract.limits.phase_ms,
    ...(task.onlyAfter === null ? {} : { only_after: task.onlyAfter }),
  };
  switch (task.phase) {
    case 'prepare':
      return {
        ...common,
        adapter: { kind: 'tool', ...bindingOf('prepare', null) },
        effect: 'write',
        repeat: 'safe',
      };
    case 'verify':
    case 'health':
      return {
        ...common,
        timeout_ms: Math.min(DAY_MS, common.timeout_ms + checkingMs(contract)),
        adapter: { kind: 'verify', ...bindingOf(task.phase, null) },
        effect: 'read',
        repeat: 'safe',
        check: task.phase,
        // All that it does outside is looking, and running commands on copies.
        doubt: 'operation',
      };
    case 'plan':
    case 'research':
    case 'build':
    case 'debug':
    default: {
      const worker = workers[task.phase];
      const mayRepeat = task.phase !== 'build' || contract.restore;
      return {
        ...common,
        adapter: { kind: worker.kind, ...bindingOf(task.phase, worker) },
        doubt: worker.doubt ?? 'operation',
        effect: worker.effect ?? (task.phase === 'build' ? 'write' : 'read'),
        repeat: mayRepeat ? 'safe' : 'unsafe',
      };
    }
  }
}

/** Every criterion may take all of its time, and the phase its own besides. */
function checkingMs({ criteria }: CompleteDevelopContract): number {
  return criteria.reduce((sum, { timeout_ms }) => sum + timeout_ms, 0);
}

const DAY_MS = 86_400_000;
const REPEATS = 4;
