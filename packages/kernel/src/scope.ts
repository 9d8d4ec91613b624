import { kernelError } from './kernel-error.ts';
import { isWellFormed } from './store/well-formed-text.ts';

/** On whose behalf a call is made; given by the host on every call, never by a model. */
export interface Scope {
  /** Whose goals are meant; goals of another tenant read as not found. 1 to 128 characters. */
  readonly tenant: string;
  /** What the host works on; recorded with a goal at admission, not used to find it. */
  readonly resource: string;
  /** Who acts, as it stands in the trail: `ann@host`. */
  readonly actor: string;
  /** What the actor may do; a call that needs more is refused with `kernel/not-permitted`. */
  readonly permissions: readonly Permission[];
}

/**
 * One thing that an actor may do.
 *
 * `goal.admit` also covers running what was admitted and storing artifacts.
 */
export type Permission =
  | 'goal.admit'
  | 'goal.read'
  | 'goal.decide'
  | 'goal.cancel'
  | 'publication.approve'
  | 'publication.dispatch'
  | 'trail.export';

/** Every permission, for the one user of a private trail. */
export const ALL_PERMISSIONS: readonly Permission[] = [
  'goal.admit',
  'goal.read',
  'goal.decide',
  'goal.cancel',
  'publication.approve',
  'publication.dispatch',
  'trail.export',
];

/** Refuses a scope that is incomplete or says something that nobody knows. */
export function checkScope(scope: Scope): void {
  // A program without types can give anything, also nothing.
  const { tenant, resource, actor, permissions }: Scope = scope ?? NOBODY;
  const texts = [tenant, resource, actor];
  const isComplete = texts.every(
    (text) => typeof text === 'string' && text !== '' && isWellFormed(text),
  );
  const isKnown =
    Array.isArray(permissions) && permissions.every((one) => ALL_PERMISSIONS.includes(one));
  if (
    isComplete &&
    isKnown &&
    tenant.length <= 128 &&
    actor.length <= 256 &&
    resource.length <= 4096
  ) {
    return;
  }
  throw kernelError(
    'kernel/scope-invalid',
    'A scope needs a tenant of up to 128, an actor of up to 256 and a resource of up to 4,096 characters, all of whole characters, and a list of known permissions.',
  );
}

const NOBODY: Scope = { tenant: '', resource: '', actor: '', permissions: [] };
