import type { Approval, PublicationView } from '@millforge/kernel/publication';
import type { PublicationPlace } from './publication-place.ts';

/** The publications of runs: an output of a completed run, approved by digest, sent at most once. */
export interface RunPublications {
  /** Stores what is to be published, or gives the publication that has this intent. */
  intend(runId: string, request: RunPublicationRequest): Promise<PublicationView>;
  /** Approves exactly one intent, for one sending, for a while. */
  approve(name: RunPublicationName, approval: Approval): Promise<PublicationView>;
  /** Takes an unused approval back, or withdraws an intent. */
  revoke(
    name: RunPublicationName,
    revocation: {
      /** Why. */
      readonly reason: string;
    },
  ): Promise<PublicationView>;
  /** Consumes the approval, sends once, and says what is known then. */
  dispatch(name: RunPublicationName, reach: PublisherReach): Promise<PublicationView>;
  /** Asks the receiver what became of a sending without a known end. */
  reconcile(name: RunPublicationName, reach: PublisherReach): Promise<PublicationView>;
  /** Records what a person says became of it. */
  attest(name: RunPublicationName, attestation: RunAttestation): Promise<PublicationView>;
  /** The publications of one run, or of the latest hundred. */
  list(runId: string | null): Promise<readonly PublicationView[]>;
}

/** What of a run is to be published. */
export interface RunPublicationRequest {
  /** The rule under which it is published, for the approver to read. */
  readonly policy: string;
  /** What the payload is a revision of. */
  readonly revision: string;
  /** Where it goes. */
  readonly place: PublicationPlace;
  /** Digest of an output or artifact of the run; null for the output of its last task. */
  readonly payloadSha256: string | null;
}

/** Names a publication of a run. */
export interface RunPublicationName {
  /** The run. */
  readonly runId: string;
  /** The publication; null where the run has one that is open. */
  readonly publicationId: string | null;
}

/** What only the process that sends has. */
export interface PublisherReach {
  /** Git repository that holds the commits, absolute. */
  readonly repository: string;
  /** Variable that holds the token of an HTTP receiver; null for none. */
  readonly tokenEnv: string | null;
  /** Milliseconds that an answer is waited for. */
  readonly timeoutMs?: number;
}

/** What a person says about a publication that nobody else can tell about. */
export interface RunAttestation {
  /** Whether it arrived, or did not and cannot any more. */
  readonly outcome: 'accepted' | 'rejected';
  /** How the person knows. */
  readonly reason: string;
  /** Attests although the process that sends it still lives. */
  readonly evenIfRunning?: boolean;
}
