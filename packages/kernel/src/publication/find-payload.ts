import { kernelError } from '../kernel-error.ts';
import type { Transaction } from '../sqlite/database.ts';
import type { GoalRow } from '../store/goal-row.ts';
import { refuseImported } from '../store/refuse-imported.ts';
import type { PublicationPayload } from './publication-intent.ts';

/** What a task of a completed goal gave, or an artifact that it saved; nothing else can be published. */
export function findPayload(tx: Transaction, row: GoalRow, digestOf: string): PublicationPayload {
  const { goal, tenant, goal_id, state } = row;
  refuseImported(tx, row);
  if (state !== 'completed') {
    throw kernelError(
      'kernel/goal-not-completed',
      `The goal ${goal_id} is ${state}; only what a completed goal gave can be published.`,
      { state },
    );
  }
  const output = tx.get(
    `SELECT length(payloads.bytes) AS bytes FROM tasks
       JOIN payloads ON payloads.tenant = tasks.tenant AND payloads.sha256 = tasks.output_sha256
      WHERE tasks.goal = ? AND tasks.tenant = ? AND tasks.output_sha256 = ?`,
    goal,
    tenant,
    digestOf,
  );
  if (output !== undefined) {
    return { sha256: digestOf, bytes: Number(output['bytes']), media_type: 'application/json' };
  }
  const artifact = tx.get(
    'SELECT bytes, media_type FROM artifacts WHERE goal = ? AND tenant = ? AND sha256 = ?',
    goal,
    tenant,
    digestOf,
  );
  if (artifact === undefined) {
    const outputs = listOutputs(tx, { goal, tenant });
    const shown = outputs.slice(0, SHOWN_OUTPUTS).join(', ');
    throw kernelError(
      'kernel/not-an-output',
      `No task of ${goal_id} gave ${digestOf.slice(0, 12)}…, and it is none of its artifacts; ${shown === '' ? 'it gave nothing.' : `what it gave is ${shown}${outputs.length > SHOWN_OUTPUTS ? ', …' : '.'}`}`,
      { outputs },
    );
  }
  const bytes = Number(artifact['bytes']);
  if (bytes > MAX_PAYLOAD_BYTES) {
    throw kernelError(
      'kernel/intent-invalid',
      `The payload has ${bytes} bytes; at most ${MAX_PAYLOAD_BYTES} can be published.`,
    );
  }
  return { sha256: digestOf, bytes, media_type: String(artifact['media_type']) };
}

/** Digests of all that a goal gave: outputs of tasks in their order, then artifacts. */
function listOutputs(
  tx: Transaction,
  { goal, tenant }: Pick<GoalRow, 'goal' | 'tenant'>,
): readonly string[] {
  const outputs = tx.all(
    'SELECT output_sha256 AS sha256 FROM tasks WHERE goal = ? AND tenant = ? AND output_sha256 IS NOT NULL ORDER BY place',
    goal,
    tenant,
  );
  const artifacts = tx.all(
    'SELECT sha256 FROM artifacts WHERE goal = ? AND tenant = ? ORDER BY sha256 LIMIT 256',
    goal,
    tenant,
  );
  return [...outputs, ...artifacts].map(({ sha256 }) => String(sha256));
}

const SHOWN_OUTPUTS = 4;
/** A payload is held in memory while it is sent. */
const MAX_PAYLOAD_BYTES = 67_108_864;
