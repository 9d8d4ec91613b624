import type { OptionalPhase, WorkPhase } from './develop-contract.ts';

/** One task of a development. */
export interface PlannedTask {
  /** Name of the task. */
  readonly taskId: string;
  /** What it does. */
  readonly phase: 'prepare' | WorkPhase | 'verify' | 'health';
  /** The round, from 1; 0 before the first. */
  readonly round: number;
  /** The task whose trees it must find; null for the first. */
  readonly previous: string | null;
  /** Every task whose output it reads, the previous one included. */
  readonly reads: readonly string[];
  /** The verdict that a task must have given for this one to run. */
  readonly onlyAfter: { readonly task: string; readonly verdict: 'pass' | 'fail' } | null;
}

/** The tasks of a development in their order: all that it can ever do. */
export function planTasks(terms: {
  readonly rounds: number;
  readonly phases: readonly OptionalPhase[];
}): readonly PlannedTask[] {
  const tasks: PlannedTask[] = [
    { taskId: 'prepare', phase: 'prepare', round: 0, previous: null, reads: [], onlyAfter: null },
  ];
  const has = (phase: OptionalPhase): boolean => terms.phases.includes(phase);
  const work = ORDER.filter((phase) => phase === 'build' || has(phase));
  for (let round = 1; round <= terms.rounds; round++) {
    const start = round === 1 ? 'prepare' : `verify-${round - 1}`;
    const reads = [start];
    for (const phase of [...work, 'verify'] as const) {
      const taskId = `${phase}-${round}`;
      tasks.push({
        taskId,
        phase,
        round,
        previous: reads.at(-1) ?? start,
        reads: [...reads],
        onlyAfter: round > 1 && reads.length === 1 ? { task: start, verdict: 'fail' } : null,
      });
      reads.push(taskId);
    }
    const verify = `verify-${round}`;
    tasks.push({
      taskId: `health-${round}`,
      phase: 'health',
      round,
      previous: verify,
      reads: [verify],
      onlyAfter: { task: verify, verdict: 'pass' },
    });
  }
  return tasks;
}

const ORDER: readonly WorkPhase[] = ['plan', 'research', 'build', 'debug'];
