import type { PublicationPlace } from '@millforge/cli';
import { unreachable } from '@millforge/contracts';
import type { PublicationAction } from '@millforge/kernel/publication';
import { millforgeError } from '../millforge-error.ts';

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
