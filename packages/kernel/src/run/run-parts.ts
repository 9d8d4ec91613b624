import type { Clock, Ids, Redactor } from '@millforge/contracts';
import type { Adapter } from '../adapter.ts';
import type { ArtifactFiles } from '../artifacts/artifact-files.ts';
import type { CompleteContract, CompleteTask } from '../contract/read-goal-contract.ts';
import type { Failpoint } from '../failpoints.ts';
import type { OwnerView } from '../goal-view.ts';
import type { KernelObserver } from '../observer.ts';
import type { Owner } from '../owner/owner.ts';
import type { Scope } from '../scope.ts';
import type { ClaimedTask } from '../store/attempt-store.ts';
import type { KernelStore } from '../store/kernel-store.ts';
import type { AttemptWatch, RunWatch } from './run-watch.ts';
import type { Slots } from './slots.ts';
import type { StopSwitch } from './stop-switch.ts';
import type { UnsettledActs } from './unsettled-acts.ts';

/** What running goals takes. */
export interface RunParts {
  readonly store: KernelStore;
  /** Calls the failpoint of that name. */
  readonly reach: (name: Failpoint) => void;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly owner: Owner;
  readonly redactor: Redactor;
  readonly artifacts: ArtifactFiles;
  readonly graceMs: number;
  readonly unsettled: UnsettledActs;
  /** Told what runs; null for nobody. */
  readonly observer: KernelObserver | null;
  /** What was last seen of leases that other living owners have, and since when nothing moved, by goal and task. */
  readonly silences: Map<string, Silence>;
}

/** A lease whose owner shows nothing. */
export interface Silence {
  readonly beat: number;
  readonly fence: number;
  readonly since: number;
}

/** One goal to be run. */
export interface RunRequest {
  readonly scope: Scope;
  readonly goalId: string;
  readonly adapters: readonly Adapter[];
  readonly onWaiting: ((owner: OwnerView) => void) | undefined;
  /** Whether tasks that another living process has are left to it, instead of being waited for. */
  readonly leavesBusy: boolean;
  /** Attempts that may run at the same time. */
  readonly slots: Slots;
  readonly stop: StopSwitch;
  /** Tells an observer of the run; null for nobody. */
  readonly watch: RunWatch | null;
}

/** An attempt with all that it runs on. */
export interface AttemptRequest extends ClaimedTask {
  readonly contract: CompleteContract;
  readonly task: CompleteTask;
  readonly adapter: Adapter;
  readonly admittedBy: string;
  /** Tells an observer of its operations; null for nobody. */
  readonly watch: AttemptWatch | null;
}
