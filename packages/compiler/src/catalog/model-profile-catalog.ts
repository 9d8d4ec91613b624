import {
  type CatalogLookup,
  digest,
  isDottedId,
  type ModelProfileCatalog,
  type ModelProfileRef,
} from '@millforge/contracts';
import { type CatalogDocumentForm, invalidCatalog, membersOf } from './catalog-document.ts';

/** A model profile catalog that also lists what it holds. */
export interface ListedModelProfileCatalog extends ModelProfileCatalog {
  /** All profiles, frozen, sorted by id. */
  readonly entries: readonly ModelProfileRef[];
}

/**
 * Builds a model profile catalog from a `model_profile_catalog` document, its JSON text, or a list.
 *
 * A profile is its name: `{"profile_id": "…"}`, in a list also the bare id. Endpoints and keys are
 * refused, since nothing of a catalog may reach a plan unseen.
 *
 * @throws `compiler/invalid-catalog` naming the place and what was expected.
 */
export function toModelProfileCatalog(
  profiles: string | { readonly [key: string]: unknown } | readonly unknown[],
): ListedModelProfileCatalog {
  const byId = new Map<string, ModelProfileRef>();
  membersOf(profiles, FORM).forEach((raw, index) => {
    const profile = readProfile(raw);
    if (profile === null) {
      const expected = 'must be an object with a dotted profile_id and nothing else';
      throw invalidCatalog(FORM, `/profiles/${index}`, expected);
    }
    if (byId.has(profile.profile_id)) {
      throw invalidCatalog(FORM, `/profiles/${index}`, `repeats ${profile.profile_id}`);
    }
    byId.set(profile.profile_id, profile);
  });
  const ids = [...byId.keys()].toSorted();
  const snapshot = digest(ids);
  return Object.freeze({
    entries: Object.freeze(ids.map((profile_id) => Object.freeze({ profile_id }))),
    snapshotId: snapshot,
    snapshotSha256: snapshot,
    resolveExact(profileId: string): CatalogLookup<ModelProfileRef> {
      const entry = byId.get(profileId);
      return entry === undefined
        ? { classification: 'missing' }
        : { classification: 'found', entry };
    },
  });
}

/** Reads what a plan may record of a profile: its id and nothing else. */
export function readProfile(raw: unknown): ModelProfileRef | null {
  if (typeof raw === 'string') return isDottedId(raw) ? Object.freeze({ profile_id: raw }) : null;
  if (typeof raw !== 'object' || raw === null || Object.keys(raw).join() !== 'profile_id')
    return null;
  const id: unknown = 'profile_id' in raw ? raw.profile_id : undefined;
  return typeof id === 'string' && isDottedId(id) ? Object.freeze({ profile_id: id }) : null;
}

const FORM: CatalogDocumentForm = { kind: 'model_profile_catalog', field: 'profiles' };
