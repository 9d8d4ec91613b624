import type { Diagnostic, ModelProfileCatalog, ModelProfileRef } from '@millforge/contracts';
import { readProfile } from '../catalog/model-profile-catalog.ts';
import { report } from '../diagnostics.ts';
import { errorType } from '../error-type.ts';
import { didYouMean, nearestName, quoted } from '../nearest-name.ts';
import { listedProfiles } from './listed-names.ts';
import { type ReadLookup, readLookup } from './read-lookup.ts';

/** The profile, or why there is none. */
export interface ResolvedProfile {
  /** The profile, or null. */
  readonly profile: ModelProfileRef | null;
  /** Empty exactly when there is a profile. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Looks up the model profile of a harness by its exact id. */
export function resolveProfile(profileId: string, profiles: ModelProfileCatalog): ResolvedProfile {
  let lookup: ReadLookup;
  try {
    lookup = readLookup(profiles.resolveExact(profileId));
  } catch (error) {
    const fields = { profile_id: profileId, error_type: errorType(error) };
    return failed(report.profileLookupFailed({ path: PATH, fields }));
  }
  const fields = { profile_id: profileId };
  if (lookup.kind === 'missing' || lookup.kind === 'invalid') {
    const found = { path: PATH, fields: { ...lookup.evidence, ...fields } };
    if (lookup.kind === 'invalid') return failed(report.malformedProfile(found));
    const hint = hintAbout(profileId, profiles);
    return failed(report.unknownModelProfile({ ...found, ...(hint === null ? {} : { hint }) }));
  }
  const profile =
    lookup.kind === 'found' && typeof lookup.entry === 'object' ? readProfile(lookup.entry) : null;
  if (profile === null) return failed(report.profileMissing({ path: PATH, fields }));
  if (profile.profile_id === profileId) return { profile, diagnostics: [] };
  const facts = { ...fields, resolved_profile_id: profile.profile_id };
  return failed(report.profileMismatch({ path: PATH, fields: facts }));
}

const PATH = '/model_profile_id';

function hintAbout(profileId: string, profiles: ModelProfileCatalog): string | null {
  const known = listedProfiles(profiles)?.toSorted();
  if (known === undefined) return null;
  if (known.length === 0) {
    return `No model profile is known: list '${profileId}' in the file of profiles, given with --profiles on the command line.`;
  }
  const nearest = nearestName(known)(profileId);
  return nearest === null ? `The catalog has ${quoted(known)}.` : didYouMean(nearest);
}

function failed(diagnostic: Diagnostic): ResolvedProfile {
  return { profile: null, diagnostics: [diagnostic] };
}
