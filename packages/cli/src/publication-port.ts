import type { Approval, PublicationView } from '@millforge/kernel/publication';

/** Where a publication goes, and how. */
export type PublicationPlace =
  | {
      /** A durable simulator of a receiver, in a directory. */
      readonly kind: 'local';
      /** The directory, absolute. */
      readonly directory: string;
    }
  | {
      /** One ref of a git repository. */
      readonly kind: 'git';
      /** Address of the repository. */
      readonly remote: string;
      /** Whole name of the ref. */
      readonly ref: string;
      /** Milliseconds after which a push cannot arrive any more; null where nobody can say so. */
      readonly settleMs: number | null;
    }
  | {
      /** A service that is posted to. */
      readonly kind: 'http';
      /** Its address. */
      readonly url: string;
      /** Address that tells what became of it, with `{operation_id}` in it; null for none. */
      readonly statusUrl: string | null;
      /** Milliseconds after which a request cannot be applied any more; null where nobody can say so. */
      readonly settleMs: number | null;
    };

/** Names a publication of a run. */
export interface PublicationName {
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

/** What the commands need to publish. */
export interface PublicationPort {
  /** Stores what is to be published, or gives the publication that has this intent. */
  intend(
    runId: string,
    request: {
      /** The rule under which it is published. */
      readonly policy: string;
      /** What the payload is a revision of. */
      readonly revision: string;
      /** Where it goes. */
      readonly place: PublicationPlace;
      /** Digest of an output or artifact of the run; null for the output of its last task. */
      readonly payloadSha256: string | null;
    },
  ): Promise<PublicationView>;
  /** Approves exactly one intent. */
  approve(name: PublicationName, approval: Approval): Promise<PublicationView>;
  /** Takes an unused approval back, or withdraws an intent. */
  revoke(
    name: PublicationName,
    revocation: {
      /** Why. */
      readonly reason: string;
    },
  ): Promise<PublicationView>;
  /** Consumes the approval and sends once. */
  dispatch(name: PublicationName, reach: PublisherReach): Promise<PublicationView>;
  /** Asks the receiver. */
  reconcile(name: PublicationName, reach: PublisherReach): Promise<PublicationView>;
  /** Records what a person says. */
  attest(
    name: PublicationName,
    attestation: {
      /** Whether it arrived. */
      readonly outcome: 'accepted' | 'rejected';
      /** How the person knows. */
      readonly reason: string;
      /** Attests although the process that sends it still lives. */
      readonly evenIfRunning?: boolean;
    },
  ): Promise<PublicationView>;
  /** The publications of one run, or of the latest hundred. */
  list(runId: string | null): Promise<readonly PublicationView[]>;
}
