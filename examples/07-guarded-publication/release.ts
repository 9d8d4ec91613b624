import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  ALL_PERMISSIONS,
  type GoalContract,
  type Kernel,
  openKernel,
  type Scope,
} from 'millforge/kernel';
import { type GitUpdate, gitPublisher, type Publisher } from 'millforge/kernel/publication';

/** Who works here. */
export const scope: Scope = {
  tenant: 'local',
  resource: 'example',
  actor: 'ann@example',
  permissions: ALL_PERMISSIONS,
};

const maker = { kind: 'model', name: 'release-maker', version: '1', parameters: null } as const;

/** A goal whose one task says which commit is the release. */
export const contract: GoalContract = {
  kind: 'goal_contract',
  schema_version: '1.0',
  goal_id: 'release-7',
  objective: 'Make release 7.',
  unchecked: true,
  tasks: [{ task_id: 'make', adapter: maker, effect: 'none' }],
};

/** Opens the trail of a folder. */
export function openTrail(folder: string): Promise<Kernel> {
  return openKernel({
    path: join(folder, 'data', 'trail.db'),
    clock: {
      now: () => Date.now(),
      monotonicMs: () => performance.now(),
      delay: (ms, signal) => delay(ms, undefined, signal === undefined ? {} : { signal }),
    },
    ids: { newId: (prefix) => `${prefix}_${randomUUID()}` },
  });
}

/** Completes the goal: its output is the change of the ref, and that is what will be approved. */
export async function makeRelease(kernel: Kernel, update: GitUpdate): Promise<void> {
  await kernel.admitGoal(scope, contract);
  const adapters = [{ ...maker, run: async () => ({ ...update }) }];
  await kernel.runGoal(scope, contract.goal_id, { adapters }).done;
}

// #region publisher
/** The way to the branch `main` of the repository that others use. */
export function publisherFor(folder: string): Publisher {
  return gitPublisher({
    repository: join(folder, 'work'),
    remote: join(folder, 'remote.git'),
    ref: 'refs/heads/main',
    env: process.env,
    now: () => Date.now(),
  });
}
// #endregion
