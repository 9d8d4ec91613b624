import { digest } from '@millforge/contracts';
import { kernelError } from '../kernel-error.ts';
import type { Transaction } from '../sqlite/database.ts';
import { added, appendRecord } from '../store/append-record.ts';
import type { GoalRow } from '../store/goal-row.ts';
import { expireIfDue } from './end-approval.ts';
import { findPayload } from './find-payload.ts';
import type {
  PublicationAction,
  PublicationIntent,
  PublicationPayload,
  PublicationRequest,
} from './publication-intent.ts';
import { goalInFlight, type PublicationRow, readLastRound } from './publication-row.ts';

/** Stores what is to be published, or gives the publication that has exactly this intent. */
export function intendPublication(
  tx: Transaction,
  goal: GoalRow,
  {
    request,
    actor,
  }: {
    readonly request: PublicationRequest & { readonly action: PublicationAction };
    readonly actor: string;
  },
): string {
  const whole = wholeOf(goal, request, findPayload(tx, goal, request.payloadSha256));
  const requestSha256 = digest(asJson(whole));
  const known = readLastRound(tx, goal, requestSha256);
  const current = known === null ? goal : expireIfDue(tx, goal, { publication: known, actor }).goal;
  if (known !== null && !endedWithoutEffect(readLastRound(tx, goal, requestSha256))) {
    return known.publication_id;
  }
  const about = {
    action_sha256: digest(asJson(whole).action),
    payload_sha256: whole.payload.sha256,
  };
  refuseInFlight(tx, goal, about);
  const intent: PublicationIntent = { ...whole, round: (known?.round ?? 0) + 1 };
  const publicationId = `publication-${countPublications(tx, goal) + 1}`;
  appendRecord(tx, current, {
    type: 'publication-intended',
    actor,
    changes: [
      added('publications', {
        publication_id: publicationId,
        round: intent.round,
        request_sha256: requestSha256,
        intent: asJson(intent),
        intent_sha256: digest(asJson(intent)),
        ...about,
        state: 'intended',
        intended_by: actor,
        intended_at: current.at,
      }),
    ],
  });
  return publicationId;
}

/** Refuses what was sent already, through another intent, and has no known end. */
export function refuseInFlight(
  tx: Transaction,
  goal: GoalRow,
  what: Pick<PublicationRow, 'action_sha256' | 'payload_sha256'>,
): void {
  const other = goalInFlight(tx, goal, what);
  if (other === null) return;
  throw kernelError(
    'kernel/publication-in-flight',
    `The goal ${other} sent these bytes to this place and nobody knows yet whether they arrived; reconcile that publication first.`,
    { goal_id: other },
  );
}

function wholeOf(
  goal: GoalRow,
  { policy, revision, action }: PublicationRequest & { readonly action: PublicationAction },
  payload: PublicationPayload,
): Omit<PublicationIntent, 'round'> {
  return {
    kind: 'publication_intent',
    schema_version: '1.0',
    tenant: goal.tenant,
    resource: goal.resource,
    goal_id: goal.goal_id,
    goal_uid: goal.goal_uid,
    contract_sha256: goal.contract_sha256,
    receipt_sha256: goal.receipt_sha256,
    policy,
    revision,
    action,
    payload,
  };
}

/** Spread out, because an interface is no JSON object to the compiler. */
function asJson({ action, payload, ...rest }: Omit<PublicationIntent, 'round'>) {
  return { ...rest, action: { ...action }, payload: { ...payload } };
}

/** Whether nothing happened and nothing can: the same may be intended anew, under an approval of its own. */
function endedWithoutEffect(publication: PublicationRow | null): boolean {
  return ['rejected', 'expired', 'revoked'].includes(publication?.state ?? '');
}

function countPublications(tx: Transaction, { goal, tenant }: GoalRow): number {
  const row = tx.get(
    'SELECT count(*) AS count FROM publications WHERE goal = ? AND tenant = ?',
    goal,
    tenant,
  );
  return Number(row?.['count'] ?? 0);
}
