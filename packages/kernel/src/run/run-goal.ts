import type { Adapter } from '../adapter.ts';
import type { CompleteTask } from '../contract/read-goal-contract.ts';
import { kernelError } from '../kernel-error.ts';
import { bindingSha256 } from '../store/admit-goal.ts';
import { checkGoal } from '../store/check-goal.ts';
import { claimTask } from './claim-task.ts';
import { readPosition } from './read-position.ts';
import { runAttempt } from './run-attempt.ts';
import type { RunParts, RunRequest } from './run-parts.ts';

/** Runs a goal until it ends, is held, or is stopped. */
export async function runGoal(parts: RunParts, request: RunRequest): Promise<void> {
  const { db, clock } = parts;
  const { scope, goalId, stop } = request;
  for (;;) {
    const position = await db.read((tx) =>
      readPosition(tx, scope.tenant, { goalId, now: clock.now() }),
    );
    const { goal, contract, task } = position;
    if (goal.state === 'checking') {
      await db.write('check-goal', (tx) =>
        checkGoal(tx, { goal, contract, actor: scope.actor, now: clock.now() }),
      );
      continue;
    }
    if (goal.state !== 'ready' && goal.state !== 'running') return;
    if (stop.isStopped()) return;
    const adapter = findAdapter(request.adapters, task);
    const claimed = await claimTask(parts, request, {
      position,
      hasDrifted: bindingSha256(adapter) !== position.taskRow.binding_sha256,
    });
    if (claimed === null) continue;
    const goesOn = await runAttempt(parts, request, {
      ...claimed,
      contract,
      task,
      adapter,
      admittedBy: goal.admitted_by,
    });
    if (!goesOn) return;
  }
}

/** The adapter of that kind and name; whether it drifted is another question. */
function findAdapter(adapters: readonly Adapter[], { adapter }: CompleteTask): Adapter {
  const found = adapters.find(({ kind, name }) => kind === adapter.kind && name === adapter.name);
  if (found !== undefined) return found;
  throw kernelError(
    'kernel/adapter-missing',
    `The goal needs the ${adapter.kind} adapter ${adapter.name}, which was not given.`,
  );
}
