import { unreachable } from '@millforge/contracts';
import type { PublicationAction } from '@millforge/kernel/publication';
import { millforgeError } from '../millforge-error.ts';

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

/** A place as it stands in an intent. */
export function toAction(place: PublicationPlace): PublicationAction {
  switch (place.kind) {
    case 'local':
      return { publisher: 'local', target: place.directory, parameters: {} };
    case 'git':
      return {
        publisher: 'git',
        target: `${place.remote}#${place.ref}`,
        parameters: settling(place),
      };
    case 'http':
      return {
        publisher: 'http',
        target: place.url,
        parameters: {
          ...settling(place),
          ...(place.statusUrl === null ? {} : { status_url: place.statusUrl }),
        },
      };
    default:
      return unreachable(place, 'place of a publication');
  }
}

/** The place of an intent; it was approved as it stands there. */
export function toPlace({ publisher, target, parameters }: PublicationAction): PublicationPlace {
  const { settle_ms: settle, status_url: statusUrl } = parameters;
  const settleMs = typeof settle === 'number' ? settle : null;
  const mark = target.lastIndexOf('#');
  switch (publisher) {
    case 'local':
      return { kind: 'local', directory: target };
    case 'git':
      return { kind: 'git', remote: target.slice(0, mark), ref: target.slice(mark + 1), settleMs };
    case 'http':
      return {
        kind: 'http',
        url: target,
        statusUrl: typeof statusUrl === 'string' ? statusUrl : null,
        settleMs,
      };
    default:
      throw millforgeError(
        'millforge/usage',
        `The publication is for the publisher ${publisher}, which is none of local, git and http; send it with the program that intended it.`,
      );
  }
}

function settling({
  settleMs,
}: {
  readonly settleMs: number | null;
}): PublicationAction['parameters'] {
  return settleMs === null ? {} : { settle_ms: settleMs };
}
