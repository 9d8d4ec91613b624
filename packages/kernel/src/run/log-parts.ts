import type { Clock, Operation, Redactor, Usage } from '@millforge/contracts';
import type { Failpoint } from '../failpoints.ts';
import type { Owner } from '../owner/owner.ts';
import type { Claim } from '../store/claim.ts';
import type { KernelStore } from '../store/kernel-store.ts';
import type { RunControl } from './run-control.ts';
import type { AttemptWatch } from './run-watch.ts';
import type { UnsettledActs } from './unsettled-acts.ts';

/** What the log of one attempt works with. */
export interface LogParts {
  readonly store: KernelStore;
  /** Calls the failpoint of that name. */
  readonly reach: (name: Failpoint) => void;
  readonly clock: Clock;
  readonly owner: Owner;
  readonly claim: Claim;
  readonly control: RunControl;
  readonly redactor: Redactor;
  /** The strongest thing that the task may do. */
  readonly taskEffect: Operation['effect'];
  /** Bounds on what was observed to be used; null where there are none. */
  readonly observedLimits: Usage | null;
  /** What to do where nobody can tell: ask, or repeat in the name of whoever admitted the goal. */
  readonly onAmbiguous: 'hold' | 'retry';
  /** Who admitted the goal. */
  readonly admittedBy: string;
  /** Operations whose act was given up but may still end, by goal, task and key. */
  readonly unsettled: UnsettledActs;
  /** Tells an observer of the operations; null for nobody. */
  readonly watch: AttemptWatch | null;
}
