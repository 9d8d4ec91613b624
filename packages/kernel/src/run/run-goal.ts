import type { Clock, Ids, Redactor } from '@millforge/contracts';
import type { Adapter } from '../adapter.ts';
import type { ArtifactFiles } from '../artifacts/artifact-files.ts';
import type { CompleteContract, CompleteTask } from '../contract/read-goal-contract.ts';
import type { OwnerView } from '../goal-view.ts';
import { kernelError } from '../kernel-error.ts';
import type { Owner } from '../owner/owner.ts';
import type { Scope } from '../scope.ts';
import type { Database } from '../sqlite/database.ts';
import { bindingSha256 } from '../store/admit-goal.ts';
import { checkGoal } from '../store/check-goal.ts';
import type { Claim } from '../store/claim.ts';
import { claimTask } from './claim-task.ts';
import { readPosition } from './read-position.ts';
import { runAttempt } from './run-attempt.ts';
import type { StopSwitch } from './stop-switch.ts';

/** What running goals takes. */
export interface RunParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly owner: Owner;
  readonly redactor: Redactor;
  readonly artifacts: ArtifactFiles;
  readonly graceMs: number;
  readonly unsettled: Set<string>;
}

/** One goal to be run. */
export interface RunRequest {
  readonly scope: Scope;
  readonly goalId: string;
  readonly adapters: readonly Adapter[];
  readonly onWaiting: ((owner: OwnerView) => void) | undefined;
  readonly stop: StopSwitch;
}

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

/** What a claim gives to an attempt. */
export interface ClaimedTask {
  readonly claim: Claim;
  readonly elapsedMs: number;
  readonly admittedAt: string;
}

/** An attempt with all that it runs on. */
export interface AttemptRequest extends ClaimedTask {
  readonly contract: CompleteContract;
  readonly task: CompleteTask;
  readonly adapter: Adapter;
  readonly admittedBy: string;
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
