import { unreachable } from '@millforge/contracts';
import type { ModelProfile } from '../profile/model-profile.ts';

/** The headers of a request; a key goes where the profile says, and nowhere with scheme `none`. */
export function requestHeaders(
  profile: ModelProfile,
  call: {
    readonly key: string | null;
    readonly idempotencyKey: string | undefined;
    /** Headers that the dialect demands. */
    readonly dialect: { readonly [name: string]: string };
  },
): { readonly [name: string]: string } {
  return {
    accept: profile.stream === true ? 'text/event-stream, application/json' : 'application/json',
    'content-type': 'application/json',
    'user-agent': 'millforge',
    ...call.dialect,
    ...lowerCased(profile.headers ?? {}),
    ...(call.key === null ? {} : keyHeader(profile, call.key)),
    ...(call.idempotencyKey === undefined
      ? {}
      : { 'idempotency-key': headerText(call.idempotencyKey) }),
  };
}

/** So that a header of the profile replaces the same one in another spelling. */
function lowerCased(headers: { readonly [name: string]: string }): {
  readonly [name: string]: string;
} {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

/** Reports whether a header can carry a text as it is. */
export function isHeaderText(text: string): boolean {
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text);
}

function keyHeader(profile: ModelProfile, key: string): { readonly [name: string]: string } {
  const auth = profile.auth ?? { scheme: 'none' };
  switch (auth.scheme) {
    case 'none':
      return {};
    case 'bearer':
      return { authorization: `Bearer ${key}` };
    case 'header':
      return { [auth.header.toLowerCase()]: key };
    default:
      return unreachable(auth);
  }
}

function headerText(text: string): string {
  return isHeaderText(text) ? text : encodeURIComponent(text);
}
