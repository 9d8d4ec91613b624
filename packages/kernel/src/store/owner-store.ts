import type { OwnerView } from '../goal-view.ts';
import type { Claim } from './claim.ts';

/** The processes that may run attempts, and whether they live. */
export interface OwnerStore {
  /** Takes a name for a process; false when another one has or had it. */
  register(owner: OwnerView): Promise<boolean>;
  /** Gives the name back: from here on its process counts as dead. */
  release(ownerId: string): Promise<void>;
  /** Whether a process lives; one that cannot be shown to be dead counts as alive. */
  isAlive(ownerId: string): Promise<boolean>;
  /** Reads what is known of an owner, also after its end, and how often it has shown that it goes on. */
  read(ownerId: string): Promise<{ readonly view: OwnerView; readonly beat: number }>;
  /**
   * Shows that an owner goes on, and notes how long each of its leases has been used.
   *
   * Gives, for each lease in its place, why it is lost, or null.
   */
  beat(ownerId: string, leases: readonly UsedLease[]): Promise<readonly (LeaseLoss | null)[]>;
}

/** A lease and the time that its attempt has had so far. */
export interface UsedLease {
  /** The attempt in the owner's hands. */
  readonly claim: Claim;
  /** Milliseconds under a lease, also under earlier ones. */
  readonly elapsedMs: number;
}

/** Why a lease does not hold any more. */
export type LeaseLoss = 'lease-lost' | 'cancelled';
