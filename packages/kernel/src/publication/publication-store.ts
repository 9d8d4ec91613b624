import type { Scope } from '../scope.ts';
import type { Approval } from './approve-publication.ts';
import type {
  PublicationAction,
  PublicationPayload,
  PublicationRequest,
} from './publication-intent.ts';
import type { PublicationView } from './publication-view.ts';
import type { Attestation, PublicationName } from './publications.ts';
import type { Sending } from './send-publication.ts';
import type { Finding } from './settle-publication.ts';

/** Publications: intended, approved, sent once, settled. Each method is one transaction. */
export interface PublicationStore {
  /** Finds what a completed goal gave, as {@link intend} does; stores nothing. */
  findPayload(tenant: string, goalId: string, sha256: string): Promise<PublicationPayload>;
  /** Stores an intent, or finds the publication that has it; gives its name. */
  intend(
    scope: Scope,
    goalId: string,
    request: PublicationRequest & { readonly action: PublicationAction },
  ): Promise<PublicationName>;
  /** Records an approval of exactly one intent. */
  approve(scope: Scope, name: PublicationName, approval: Approval): Promise<void>;
  /** Takes an unused approval back, or withdraws an intent. */
  revoke(
    scope: Scope,
    name: PublicationName,
    revocation: { readonly reason: string },
  ): Promise<void>;
  /** Consumes an approval for one sending by this process; null when its time was over, which is recorded. */
  send(
    scope: Scope,
    name: PublicationName,
    sender: { readonly ownerId: string },
  ): Promise<Sending | null>;
  /** Records what the sender learned; an end that others settled meanwhile stands. */
  answer(scope: Scope, name: PublicationName, answer: Answer): Promise<void>;
  /** Records what somebody else found, unless the publication has changed since. */
  find(
    scope: Scope,
    name: PublicationName,
    found: Answer & { readonly version: number },
  ): Promise<void>;
  /** Records what a person says. */
  attest(
    scope: Scope,
    name: PublicationName,
    attestation: Attestation & { readonly here: OwnSendings },
  ): Promise<void>;
  /** Rejects with `kernel/imported` for a goal that is only read here. */
  assertHere(tenant: string, goalId: string): Promise<void>;
  /** Reads one publication as a document. */
  read(tenant: string, name: PublicationName, here: OwnSendings): Promise<PublicationView>;
  /** Reads all publications of a goal, in the order in which they were intended. */
  list(tenant: string, goalId: string, here: OwnSendings): Promise<readonly PublicationView[]>;
  /** Reads the bytes of a task's output; null for what the store does not keep itself. */
  outputBytes(tenant: string, sha256: string): Promise<Uint8Array | null>;
}

/** What was found, and whether nothing can be sent any more. */
export interface Answer {
  readonly finding: Finding;
  /** Whether the sender is known to be through with it. */
  readonly isSettled: boolean;
}

/** The sendings of this process, which the store cannot see. */
export interface OwnSendings {
  readonly ownerId: string;
  /** Whether the publisher's call of that name goes on. */
  readonly isActing: (name: string) => boolean;
}
