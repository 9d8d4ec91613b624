/** Where a publication goes, and how. */
export type PublicationPlace =
  | {
      /** A durable simulator of a receiver, in a directory. */
      readonly kind: 'local';
      /** The directory, absolute. */
      readonly directory: string;
    }
  | {
      /** One ref of a git repository; the payload is a `git_update`. */
      readonly kind: 'git';
      /** Address of the repository. */
      readonly remote: string;
      /** Whole name of the ref. */
      readonly ref: string;
      /** Milliseconds after which a push that was cut off cannot arrive any more; null where nobody can say so. */
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
