import type { JsonValue } from '@millforge/contracts';
import type { PublicationIntent } from './publication-intent.ts';

/**
 * Carries publications to one place.
 *
 * The kernel calls `publish` at most once for an operation, and `inspect` as often as somebody asks.
 * Secrets are the publisher's own; nothing that it returns may hold one.
 */
export interface Publisher {
  /** Name that intents give: `git`. */
  readonly name: string;
  /** The one place that it reaches; an intent for another one is refused. */
  readonly target: string;
  /**
   * Milliseconds after which the receiver cannot apply any more what was sent before.
   *
   * Null where nobody can say so: then what is not found stays unknown until a person attests it.
   */
  readonly settleMs: number | null;
  /**
   * Why it could never send these bytes to its place, in one sentence without a full stop, with what it takes instead; null when
   * nothing in them speaks against it. Looks at nothing else: no network, no key. Without it, every payload may be approved.
   */
  checkPayload?(payload: PayloadToCheck): string | null;
  /**
   * Why it cannot begin on this machine, in one sentence without a full stop, with what it needs; null when it can.
   *
   * Asked before an approval is consumed: for programs, folders and keys of this machine. Sends nothing and asks no receiver, whose
   * no is an answer to `publish`. Without it, it can always begin.
   */
  ready?(request: ReadyRequest): Promise<string | null>;
  /** Sends once. Whatever it throws, and whatever it returns that is no answer, leaves the outcome unknown. */
  publish(request: PublishRequest): Promise<PublishAnswer>;
  /** Looks, without changing anything that could make the publication happen. */
  inspect(request: InspectRequest): Promise<Inspection>;
}

/** Bytes that somebody wants to be published. */
export interface PayloadToCheck {
  /** The exact bytes. */
  readonly bytes: Uint8Array;
  /** Their media type. */
  readonly mediaType: string;
}

/** What is about to be sent, if the publisher can begin. */
export interface ReadyRequest {
  /** What was approved. */
  readonly intent: PublicationIntent;
  /** The exact bytes, as they were approved. */
  readonly bytes: Uint8Array;
  /** Aborted when nobody waits any more. */
  readonly signal: AbortSignal;
}

/** One sending. */
export interface PublishRequest extends InspectRequest {
  /** Wall-clock time after which nothing may be sent any more, in milliseconds. */
  readonly sendByMs: number;
}

/** One question about a sending. */
export interface InspectRequest {
  /** Idempotency key: the same for the sending and every question about it. */
  readonly operationId: string;
  /** What was approved. */
  readonly intent: PublicationIntent;
  /** The exact bytes, as they were approved. */
  readonly bytes: Uint8Array;
  /** Aborted when nobody waits any more. */
  readonly signal: AbortSignal;
}

/** What a receiver answered. */
export type PublishAnswer =
  | {
      /** It has it. */
      readonly kind: 'acknowledged';
      /** The operation that the receiver itself names; another one counts as no answer. */
      readonly operationId: string;
      /** What it said; up to 4 KiB. */
      readonly evidence?: JsonValue;
    }
  | {
      /** It refuses it for good: it was not applied and will not be. */
      readonly kind: 'refused';
      /** Why, in one sentence. */
      readonly message: string;
      /** What it said; up to 4 KiB. */
      readonly evidence?: JsonValue;
    }
  | {
      /** Not a byte of it left: no receiver was asked, it was not applied and will not be. */
      readonly kind: 'not-sent';
      /** Why, as what follows a colon. */
      readonly message: string;
      /** What is known of it; up to 4 KiB. */
      readonly evidence?: JsonValue;
    };

/** What a receiver has. */
export type Inspection =
  | {
      /** It has applied it. */
      readonly kind: 'found';
      /** The operation that the receiver itself names. */
      readonly operationId: string;
      /** What it said; up to 4 KiB. */
      readonly evidence?: JsonValue;
    }
  | {
      /** It has not. */
      readonly kind: 'absent';
      /** Whether it never will: the operation is sealed, or cannot be applied any more. */
      readonly isFinal: boolean;
      /** What it said; up to 4 KiB. */
      readonly evidence?: JsonValue;
    }
  | {
      /** It cannot be told. */
      readonly kind: 'unknown';
      /** What it said; up to 4 KiB. */
      readonly evidence?: JsonValue;
    };
