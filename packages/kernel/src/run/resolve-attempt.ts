import {
  deepFreeze,
  type JsonObject,
  MillforgeError,
  type Reconciliation,
} from '@millforge/contracts';
import type { WorkAdapter } from '../adapter.ts';
import { readOwner } from '../owner/owner.ts';
import type { Transaction } from '../sqlite/database.ts';
import { appendRecord, changed } from '../store/append-record.ts';
import { writeFailure } from '../store/end-attempt.ts';
import type { GoalRow } from '../store/goal-row.ts';
import { openHold } from '../store/open-hold.ts';
import { toPayload } from '../store/payloads.ts';
import { writeOutput } from '../store/record-output.ts';
import { supersedeAttempt } from '../store/supersede-attempt.ts';
import { attemptKey, attemptName } from './attempt-rules.ts';
import { readOutputs } from './read-outputs.ts';
import { readPosition } from './read-position.ts';
import type { RunParts, RunRequest } from './run-parts.ts';
import type { Standing } from './standing.ts';

/** An attempt in doubt, as it was seen. */
type InDoubt = Standing & { readonly attempt: NonNullable<Standing['attempt']> };

/** Looks whether an attempt in doubt happened; records it, lets another follow, or asks a person. */
export async function resolveAttempt(
  parts: RunParts,
  request: RunRequest,
  standing: InDoubt,
): Promise<void> {
  const { clock, db, ids, owner } = parts;
  const { scope, goalId } = request;
  const { task, attempt, contract } = standing;
  const mayStillAct =
    attempt.owner_id === owner.id
      ? parts.unsettled.has(
          attemptName({ goalUid: standing.goal.goal_uid, taskId: task.task_id }, attempt.number),
        )
      : !attempt.is_settled && owner.isAlive(attempt.owner_id);
  // Whoever may still act could do so after the look.
  const looked = mayStillAct ? UNKNOWN : await look(parts, request, standing);
  const receiptId = ids.newId('receipt');
  await db.write('resolve-attempt', (tx) => {
    const current = readPosition(tx, scope.tenant, { goalId, now: clock.now() });
    const seen = current.standings.find((one) => one.task.task_id === task.task_id);
    const isSame =
      seen?.attempt?.number === attempt.number &&
      seen.attempt.version === attempt.version &&
      seen.taskRow.state === 'running';
    if (!isSame) return;
    const { goal } = current;
    const facts: JsonObject = { reconciliation: looked.facts };
    switch (looked.answer.kind) {
      case 'happened':
        writeOutput(tx, goal, {
          output: { payload: toPayload(looked.answer.value), verdict: null, receiptId },
          contract,
          task,
          attempt: {
            number: attempt.number,
            units: attempt.units,
            admittedAt: attempt.admitted_at,
          },
          actor: scope.actor,
          type: 'attempt-reconciled',
          before: [],
          facts,
        });
        return;
      case 'not-happened':
        writeFailure(tx, goal, {
          failure: {
            code: attempt.failure_code ?? 'interrupted',
            message: attempt.failure_message ?? '',
            isClean: true,
          },
          task,
          contract,
          number: attempt.number,
          units: attempt.units,
          actor: scope.actor,
          type: 'attempt-failed',
          before: [],
          // What an interruption kept from happening costs neither an attempt nor its units.
          isFree: attempt.failure_code === 'interrupted' && attempt.number <= task.max_resumes,
        });
        return;
      case 'unknown':
        ask(tx, goal, { standing, looked, mayStillAct, actor: scope.actor });
    }
  });
}

/** Opens the hold of an attempt in doubt, or repeats it in the name of whoever admitted the goal. */
function ask(
  tx: Transaction,
  goal: GoalRow,
  {
    standing,
    looked,
    mayStillAct,
    actor,
  }: {
    readonly standing: InDoubt;
    readonly looked: LookedAt;
    readonly mayStillAct: boolean;
    readonly actor: string;
  },
): void {
  const { task, attempt, contract } = standing;
  const hasUnits = goal.units_reserved + goal.units_settled + task.units <= goal.units_limit;
  const isRepeated =
    contract.on_ambiguous === 'retry' &&
    !mayStillAct &&
    hasUnits &&
    attempt.number < MAX_AUTOMATIC_ATTEMPTS;
  const opened = openHold(tx, goal, {
    hold: {
      reason: 'ambiguous-attempt',
      message: `Nobody can tell what attempt ${attempt.number} of ${task.task_id} did: ${attempt.failure_message ?? 'it was interrupted'}`,
      taskId: task.task_id,
      attempt: attempt.number,
      operationKey: null,
      facts: {
        effect: task.effect,
        repeat: task.repeat,
        ...(looked.facts === null ? {} : { reconciliation: looked.facts }),
        ...(attempt.owner_id === ''
          ? {}
          : {
              former_owner: {
                owner: { ...readOwner(tx, attempt.owner_id) },
                alive: mayStillAct,
                act_settled: !mayStillAct,
              },
            }),
        failure: {
          code: attempt.failure_code ?? 'interrupted',
          message: attempt.failure_message ?? '',
        },
      },
    },
    actor,
    changes: [],
    isDecided: isRepeated,
  });
  if (!isRepeated) return;
  appendRecord(tx, opened.goal, {
    type: 'hold-decided',
    actor: goal.admitted_by,
    changes: [
      changed('holds', {
        hold_id: opened.holdId,
        state: 'decided',
        decision: 'retry',
        decided_by: goal.admitted_by,
        decision_reason: 'The contract says on_ambiguous: retry.',
        decided_at: goal.at,
      }),
      ...supersedeAttempt(tx, goal, {
        taskId: task.task_id,
        contract,
        attempt,
        newKey: false,
        isHeld: false,
      }),
    ],
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
  const { clock, db } = parts;
  const outputs = await db.read((tx) => readOutputs(tx, goal, task));
  const limit = new AbortController();
  const signal = AbortSignal.any([request.stop.signal, limit.signal]);
  db.reach('before:reconcile');
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
  db.reach('after:reconcile');
  const evidence = parts.redactor.value(answer.evidence ?? null);
  return { answer, facts: { kind: answer.kind, evidence } };
}

/** What the adapter answers; one that throws, or whose output cannot be recorded, does not know. */
async function asked(
  adapter: WorkAdapter,
  context: Parameters<NonNullable<WorkAdapter['reconcile']>>[0],
): Promise<Reconciliation> {
  try {
    const answer = await adapter.reconcile?.(context);
    if (answer === undefined) return { kind: 'unknown' };
    if (answer.kind === 'happened' && toPayload(answer.value).text.length > MAX_OUTPUT_BYTES) {
      return { kind: 'unknown', evidence: { error: 'output-too-large' } };
    }
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
const MAX_OUTPUT_BYTES = 1_048_576;
// A contract that repeats whatever is in doubt would otherwise repeat for ever.
const MAX_AUTOMATIC_ATTEMPTS = 6;
