import type { Scope } from '../scope.ts';
import type { Approval } from './approve-publication.ts';
import type { PublicationIntent, PublicationRequest } from './publication-intent.ts';
import type { PublicationView } from './publication-view.ts';
import type { Publisher } from './publisher.ts';

/** Names one publication. */
export interface PublicationName {
  /** The goal whose output it is. */
  readonly goalId: string;
  /** Its name inside the goal. */
  readonly publicationId: string;
}

/** What somebody wants to be published, and who looks at it before anything is stored. */
export interface IntendRequest extends PublicationRequest {
  /** The publisher of the action, asked by its `checkPayload` whether it takes the payload; default nobody. */
  readonly checkedBy?: Publisher;
}

/** How a publication is sent. */
export interface DispatchOptions {
  /** Carries it; must be the one that the intent names. */
  readonly publisher: Publisher;
  /** Asked just before the approval is consumed: whether who gave it may still do so. Only `true` is a yes. */
  readonly confirmApprover: (approval: {
    /** Who approved. */
    readonly actor: string;
    /** What was approved. */
    readonly intent: PublicationIntent;
  }) => boolean | Promise<boolean>;
  /** How long an answer is waited for; default 60 s. */
  readonly timeoutMs?: number;
}

/** How a publication is asked about. */
export interface ReconcileOptions {
  /** Asks; must be the one that the intent names. */
  readonly publisher: Publisher;
  /** How long an answer is waited for; default 30 s. */
  readonly timeoutMs?: number;
}

/** What a person says about a publication that nobody else can tell about. */
export interface Attestation {
  /** Version of the publication as the person saw it. */
  readonly version: number;
  /** Whether it arrived, or did not and cannot any more. */
  readonly outcome: 'accepted' | 'rejected';
  /** How the person knows. */
  readonly reason: string;
  /** Attests although the process that sends it may still send. */
  readonly evenIfRunning?: boolean;
}

/**
 * The publications of one kernel: an output of a completed goal, approved by digest, sent at most once.
 *
 * Every method throws `kernel/not-found` for what the scope cannot see and `kernel/not-permitted` for what it may not.
 */
export interface Publications {
  /**
   * Stores what is to be published, or gives the publication that has this intent; needs `goal.admit`.
   *
   * @throws `kernel/intent-invalid`, `kernel/goal-not-completed`, `kernel/not-an-output`,
   * `kernel/payload-refused`, `kernel/publisher-mismatch`, `kernel/publication-in-flight`; nothing was stored then.
   */
  intend(scope: Scope, goalId: string, request: IntendRequest): Promise<PublicationView>;
  /** Approves exactly one intent, for one sending, for a while; needs `publication.approve`. */
  approve(scope: Scope, name: PublicationName, approval: Approval): Promise<PublicationView>;
  /** Takes an unused approval back, or withdraws an intent; needs `publication.approve`. */
  revoke(
    scope: Scope,
    name: PublicationName,
    options: {
      /** Why. */
      readonly reason: string;
    },
  ): Promise<PublicationView>;
  /**
   * Consumes the approval, sends once, and says what is known then; needs `publication.dispatch`.
   *
   * It resolves with `unknown` where the receiver gave no valid answer; nothing ever sends it again.
   *
   * @throws `kernel/publication-not-allowed`, `kernel/approval-expired`, `kernel/approver-not-confirmed`,
   * `kernel/publisher-mismatch`, `kernel/publisher-not-ready`, `kernel/publication-in-flight`; nothing was sent then, and what was
   * approved stays approved.
   */
  dispatch(scope: Scope, name: PublicationName, options: DispatchOptions): Promise<PublicationView>;
  /** Asks the receiver what became of a sending that has no known end; needs `publication.dispatch`. */
  reconcile(
    scope: Scope,
    name: PublicationName,
    options: ReconcileOptions,
  ): Promise<PublicationView>;
  /** Records what a person says became of it, as attested and never as observed; needs `goal.decide`. */
  attest(scope: Scope, name: PublicationName, attestation: Attestation): Promise<PublicationView>;
  /** Reads one publication; needs `goal.read`. */
  read(scope: Scope, name: PublicationName): Promise<PublicationView>;
  /** Reads all publications of a goal, in the order in which they were intended; needs `goal.read`. */
  list(scope: Scope, goalId: string): Promise<readonly PublicationView[]>;
}
