import {
  deepFreeze,
  type JsonObject,
  MillforgeError,
  type Reconciliation,
} from '@millforge/contracts';
import type { WorkAdapter } from '../adapter.ts';
import { attemptKey, attemptName } from '../store/attempt-rules.ts';
import type { Standing } from '../store/standing.ts';
import { readReconciliation } from './read-reconciliation.ts';
import type { RunParts, RunRequest } from './run-parts.ts';

/** An attempt in doubt, as it was seen. */
type InDoubt = Standing & { readonly attempt: NonNullable<Standing['attempt']> };

/** Looks whether an attempt in doubt happened; records it, lets another follow, or asks a person. */
export async function resolveAttempt(
  parts: RunParts,
  request: RunRequest,
  standing: InDoubt,
): Promise<void> {
  const { ids, owner, store } = parts;
  const { task, attempt } = standing;
  const mayStillAct =
    attempt.owner_id === owner.id
      ? parts.unsettled.has(
          attemptName({ goalUid: standing.goal.goal_uid, taskId: task.task_id }, attempt.number),
        )
      : !attempt.is_settled && (await store.owners.isAlive(attempt.owner_id));
  // Whoever may still act could do so after the look.
  const looked = mayStillAct ? UNKNOWN : await look(parts, request, standing);
  await store.attempts.resolve(standing, {
    ...looked,
    mayStillAct,
    receiptId: ids.newId('receipt'),
    actor: request.scope.actor,
  });
}

interface LookedAt {
  readonly answer: Reconciliation;
  /** Null when there was no way to look. */
  readonly facts: JsonObject | null;
}

async function look(
  parts: RunParts,
  request: RunRequest,
  { goal, task, attempt, contract }: InDoubt,
): Promise<LookedAt> {
  const adapter = request.adapters.find(
    ({ kind, name }) => kind === task.adapter.kind && name === task.adapter.name,
  );
  if (adapter === undefined || adapter.kind === 'verify' || adapter.reconcile === undefined) {
    return UNKNOWN;
  }
  const { clock, reach, store } = parts;
  const outputs = await store.attempts.outputs(goal, task);
  const limit = new AbortController();
  const signal = AbortSignal.any([request.stop.signal, limit.signal]);
  reach('before:reconcile');
  const answer = await Promise.race([
    asked(adapter, {
      goalId: goal.goal_id,
      taskId: task.task_id,
      inputs: deepFreeze(contract.inputs),
      outputs,
      idempotencyKey: attemptKey(
        { goalUid: goal.goal_uid, taskId: task.task_id },
        attempt.generation,
      ),
      signal,
    }),
    tooSlow(clock.delay(RECONCILE_LIMIT_MS, signal)),
  ]);
  limit.abort();
  reach('after:reconcile');
  return readReconciliation(answer, parts.redactor);
}

/** What the adapter answers; one that throws does not know. */
async function asked(
  adapter: WorkAdapter,
  context: Parameters<NonNullable<WorkAdapter['reconcile']>>[0],
): Promise<Reconciliation> {
  try {
    const answer = await adapter.reconcile?.(context);
    if (answer === undefined) return { kind: 'unknown' };
    return answer;
  } catch (error) {
    const why = MillforgeError.is(error) ? error.code : 'threw';
    return { kind: 'unknown', evidence: { error: why } };
  }
}

async function tooSlow(delay: Promise<void>): Promise<Reconciliation> {
  // Ends with the time, with the answer, or with the run.
  await delay.catch(() => undefined);
  return { kind: 'unknown', evidence: { error: 'too-slow' } };
}

const UNKNOWN: LookedAt = { answer: { kind: 'unknown' }, facts: null };
const RECONCILE_LIMIT_MS = 30_000;
