import type { JsonValue } from '@millforge/contracts';
import type { OwnerView } from '../goal-view.ts';
import type { PublicationIntent } from './publication-intent.ts';

/**
 * How a publication stands.
 *
 * `intended → approved → sending → accepted | unknown | rejected`, `unknown → accepted | rejected`; an approval
 * that was not used ends as `expired` or `revoked`. Nothing leads back to `sending`.
 */
export type PublicationState =
  | 'intended'
  | 'approved'
  | 'sending'
  | 'accepted'
  | 'unknown'
  | 'rejected'
  | 'expired'
  | 'revoked';

/** Why a publication stands where it stands. */
export type PublicationReason =
  /** The receiver acknowledged it, naming the operation. */
  | 'acknowledged'
  /** The receiver was asked, and has it. */
  | 'found'
  /** A person says so. */
  | 'attested'
  /** The receiver refused it for good. */
  | 'refused'
  /** Nothing was sent: its time was over, or the publisher did not reach the receiver. */
  | 'not-sent'
  /** The receiver does not have it and cannot get it any more. */
  | 'finally-absent'
  /** No answer came in time. */
  | 'no-answer'
  /** The answer names another operation, or is none. */
  | 'invalid-acknowledgement'
  /** The publisher failed without saying what became of it. */
  | 'publisher-failed'
  /** The process that was to send it is gone. */
  | 'sender-gone'
  /** The trail comes from a backup; what was sent after it was made is not known here. */
  | 'restored'
  /** The approval was taken back, or what was intended withdrawn. */
  | 'revoked'
  /** The approval was not used in time. */
  | 'expired';

/** One publication with all that is known of it. */
export interface PublicationView {
  /** What this document is. */
  readonly kind: 'publication';
  /** Version of its form. */
  readonly schema_version: '1.0';
  /** The goal whose output it is. */
  readonly goal_id: string;
  /** Name inside its goal: `publication-1`. */
  readonly publication_id: string;
  /** How it stands. */
  readonly state: PublicationState;
  /** Grows with every change. */
  readonly version: number;
  /** What is approved and sent. */
  readonly intent: PublicationIntent;
  /** Digest of the intent; an approval names it. */
  readonly intent_sha256: string;
  /** Who intended it. */
  readonly intended_by: string;
  /** When. */
  readonly intended_at: string;
  /** Who approved it; null before. */
  readonly approval: PublicationApproval | null;
  /** The one sending; null before. */
  readonly operation: PublicationOperation | null;
  /** Why it stands where it stands; null while nothing was sent. */
  readonly reason: PublicationReason | null;
  /** The same in one sentence. */
  readonly message: string | null;
  /** Who found or said so. */
  readonly ended_by: string | null;
  /** When. */
  readonly ended_at: string | null;
  /** What the receiver answered, redacted. */
  readonly evidence: JsonValue;
  /** Whether it was copied with a backup while somebody else could still send it. */
  readonly is_restored: boolean;
  /** An answer of the sender that came when the end was settled already; null for none. */
  readonly late_answer: JsonValue;
}

/** An approval: of one digest, for one sending, for a while. */
export interface PublicationApproval {
  /** Who gave it. */
  readonly by: string;
  /** When. */
  readonly at: string;
  /** When it is over. */
  readonly expires_at: string;
  /** Why it was given. */
  readonly reason: string;
}

/** The one sending of a publication. */
export interface PublicationOperation {
  /** The same for every question about it; the receiver's idempotency key. */
  readonly operation_id: string;
  /** Who had it sent. */
  readonly sent_by: string;
  /** When the approval was consumed. */
  readonly sent_at: string;
  /** The moment after which nothing was sent any more. */
  readonly send_by: string;
  /** The process that sends it; null once it has ended or has its answer. */
  readonly sender: OwnerView | null;
  /** When its sender was first known to be through with it; null while it may still send. */
  readonly settled_at: string | null;
}
