import { kernelError } from '../kernel-error.ts';
import type { Transaction } from '../sqlite/database.ts';
import type { GoalRow } from '../store/goal-row.ts';
import { refuseImported } from '../store/refuse-imported.ts';
import { notAllowed } from './end-approval.ts';
import { type PublicationRow, readPublication } from './publication-row.ts';
import type { Attestation } from './publications.ts';
import { settle } from './settle-publication.ts';

/** Records what a person says became of a publication. */
export function attestPublication(
  tx: Transaction,
  goal: GoalRow,
  attestation: Attestation & {
    readonly publicationId: string;
    readonly actor: string;
    readonly maySend: (publication: PublicationRow) => boolean;
  },
): void {
  const { outcome, reason, actor } = attestation;
  refuseImported(tx, goal);
  const publication = readPublication(tx, goal, attestation.publicationId);
  if (publication.version !== attestation.version) {
    throw kernelError(
      'kernel/stale-version',
      `The publication has version ${publication.version} by now; read it again and attest what it says.`,
    );
  }
  if (publication.state !== 'unknown' && publication.state !== 'sending') {
    throw notAllowed(publication, 'only what was sent and has no known end can be attested');
  }
  const maySend = attestation.maySend(publication);
  if (maySend && attestation.evenIfRunning !== true) {
    throw kernelError(
      'kernel/former-owner-alive',
      'The process that sends it still lives and may still send; end it, or say that you know better.',
    );
  }
  settle(tx, goal, {
    publication,
    actor,
    isSettled: !maySend,
    finding: { state: outcome, reason: 'attested', message: reason, evidence: null },
  });
}
