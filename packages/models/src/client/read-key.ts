import type { ModelProfile } from '../profile/model-profile.ts';
import { isHeaderText } from './request-headers.ts';
import type { TimeLimit } from './time-limit.ts';

/** The key to send, null for none, or why it cannot be had. Never repeats anything of the key. */
export type KeyResult =
  | { readonly kind: 'key'; readonly key: string | null }
  | { readonly kind: 'unusable'; readonly message: string }
  | { readonly kind: 'stopped' };

/** Asks for the key, if the profile sends one; white space around it, as from a file, is dropped. */
export async function readKey(
  ask: (() => string | Promise<string>) | undefined,
  profile: ModelProfile,
  limit: TimeLimit,
): Promise<KeyResult> {
  if (ask === undefined || (profile.auth?.scheme ?? 'none') === 'none') {
    return { kind: 'key', key: null };
  }
  const where = `The API key of profile "${profile.profile_id}"`;
  let key: string;
  try {
    key = (await limit.race(Promise.resolve(ask()))).trim();
  } catch {
    // The error of a key store may quote the key, so it is not passed on.
    if (limit.stopped() !== null) return { kind: 'stopped' };
    return { kind: 'unusable', message: `${where} could not be read; check where it is kept.` };
  }
  if (key === '')
    return { kind: 'unusable', message: `${where} is empty; set it where it is kept.` };
  if (SCHEME.test(key)) {
    return {
      kind: 'unusable',
      message: `${where} begins with the name of a scheme; keep the key alone.`,
    };
  }
  if (isHeaderText(key)) return { kind: 'key', key };
  return {
    kind: 'unusable',
    message: `${where} has characters that a header cannot carry; check that it was copied whole.`,
  };
}

const SCHEME = /^(?:bearer|basic)(?:\s|$)/i;
