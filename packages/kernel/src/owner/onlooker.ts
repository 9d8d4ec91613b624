import { readOnlyTrail } from '../sqlite/open-to-look.ts';
import type { Owner } from './owner.ts';

/** The part of a process that only looks: it is known to nobody, holds no lease and lets none go. */
export function createOnlooker(id: string, path: string): Owner {
  return {
    id,
    isLate: () => true,
    confirm: async () => {
      throw readOnlyTrail(path);
    },
    keep: () => () => undefined,
    release: async () => undefined,
  };
}
