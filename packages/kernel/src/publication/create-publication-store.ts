import type { Clock } from '@millforge/contracts';
import type { Database, Transaction } from '../sqlite/database.ts';
import { readOwner } from '../store/create-owner-store.ts';
import { type GoalRow, readGoalRow } from '../store/goal-row.ts';
import { refuseImported } from '../store/refuse-imported.ts';
import { approvePublication } from './approve-publication.ts';
import { attestPublication } from './attest-publication.ts';
import { revokePublication } from './end-approval.ts';
import { findPayload } from './find-payload.ts';
import { intendPublication } from './intend-publication.ts';
import {
  type PublicationRow,
  readPublication,
  readPublications,
  toPublicationView,
} from './publication-row.ts';
import type { OwnSendings, PublicationStore } from './publication-store.ts';
import type { PublicationView } from './publication-view.ts';
import { sendPublication } from './send-publication.ts';
import { sendingName } from './sending-name.ts';
import { recordAnswer, recordFinding } from './settle-publication.ts';

/** Puts the transactions about publications together. */
export function createPublicationStore({
  db,
  clock,
  isAlive,
}: {
  readonly db: Pick<Database, 'read' | 'write'>;
  readonly clock: Clock;
  readonly isAlive: (ownerId: string) => boolean;
}): PublicationStore {
  const goalOf = (tx: Transaction, tenant: string, goalId: string): GoalRow =>
    readGoalRow(tx, tenant, { goalId, now: clock.now() });

  const maySend =
    (here: OwnSendings) =>
    ({ intent, publication_id, owner_id, settled_at, is_restored }: PublicationRow): boolean => {
      // Whoever had it when a backup was made cannot be looked at from the copy.
      if (owner_id === null || settled_at !== null || is_restored) return false;
      return owner_id === here.ownerId
        ? here.isActing(sendingName(intent.goal_uid, publication_id))
        : isAlive(owner_id);
    };

  const viewOf = (
    tx: Transaction,
    goal: GoalRow,
    { publication, here }: { readonly publication: PublicationRow; readonly here: OwnSendings },
  ): PublicationView => {
    const { owner_id } = publication;
    const isSending = owner_id !== null && maySend(here)(publication);
    return toPublicationView(goal, {
      publication,
      sender: isSending ? readOwner(tx, owner_id) : null,
    });
  };

  return {
    findPayload: (tenant, goalId, digest) =>
      db.read((tx) => findPayload(tx, goalOf(tx, tenant, goalId), digest)),
    intend: ({ tenant, actor }, goalId, request) =>
      db.write('intend-publication', (tx) => ({
        goalId,
        publicationId: intendPublication(tx, goalOf(tx, tenant, goalId), { request, actor }),
      })),
    approve: ({ tenant, actor }, { goalId, publicationId }, approval) =>
      db.write('approve-publication', (tx) =>
        approvePublication(tx, goalOf(tx, tenant, goalId), { ...approval, publicationId, actor }),
      ),
    revoke: ({ tenant, actor }, { goalId, publicationId }, { reason }) =>
      db.write('revoke-publication', (tx) =>
        revokePublication(tx, goalOf(tx, tenant, goalId), { reason, publicationId, actor }),
      ),
    send: ({ tenant, actor }, { goalId, publicationId }, { ownerId }) =>
      db.write('send-publication', (tx) =>
        sendPublication(tx, goalOf(tx, tenant, goalId), { ownerId, publicationId, actor }),
      ),
    answer: ({ tenant, actor }, { goalId, publicationId }, answer) =>
      db.write('settle-publication', (tx) =>
        recordAnswer(tx, goalOf(tx, tenant, goalId), { ...answer, publicationId, actor }),
      ),
    find: ({ tenant, actor }, { goalId, publicationId }, found) =>
      db.write('settle-publication', (tx) =>
        recordFinding(tx, goalOf(tx, tenant, goalId), { ...found, publicationId, actor }),
      ),
    attest: ({ tenant, actor }, { goalId, publicationId }, { here, ...attestation }) =>
      db.write('settle-publication', (tx) =>
        attestPublication(tx, goalOf(tx, tenant, goalId), {
          ...attestation,
          publicationId,
          actor,
          maySend: maySend(here),
        }),
      ),
    assertHere: (tenant, goalId) => db.read((tx) => refuseImported(tx, goalOf(tx, tenant, goalId))),
    read: (tenant, { goalId, publicationId }, here) =>
      db.read((tx) => {
        const goal = goalOf(tx, tenant, goalId);
        return viewOf(tx, goal, { publication: readPublication(tx, goal, publicationId), here });
      }),
    list: (tenant, goalId, here) =>
      db.read((tx) => {
        const goal = goalOf(tx, tenant, goalId);
        return readPublications(tx, goal).map((publication) =>
          viewOf(tx, goal, { publication, here }),
        );
      }),
    outputBytes: (tenant, digest) =>
      db.read((tx) => {
        const row = tx.get(
          'SELECT bytes FROM payloads WHERE tenant = ? AND sha256 = ?',
          tenant,
          digest,
        );
        return row?.['bytes'] instanceof Uint8Array ? row['bytes'] : null;
      }),
  };
}
