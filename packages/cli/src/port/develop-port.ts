import type { RunHold } from '@millforge/contracts';
import type { GoalRun } from '@millforge/kernel';
import type { DevelopContract, DevelopHandoff, WorkPhase } from '@millforge/kernel/develop';
import type { RunEvent } from '@millforge/runtime';
import type { ModelSetting } from './model-setting.ts';

/** What a development is started, or gone on, with. */
export interface DevelopRequest {
  /** What is to be reached, where may be written, how it is judged. */
  readonly contract: DevelopContract;
  /** Absolute path of the tree that is developed; it is only read. */
  readonly candidate: string;
  /** Absolute path of the protected checks, which the model is told nothing of. */
  readonly checks?: string;
  /** The model of all phases. */
  readonly model: ModelSetting;
  /**
   * Whether `build` and `debug` may run shell commands in the work copy. Without a sandbox these do what the user of the
   * process may do, outside the copy as well. Default false.
   */
  readonly shell?: boolean;
  /** Told what happens in a phase, as it happens. */
  readonly onEvent?: (event: RunEvent, phase: DevelopPhase) => void;
}

/** A phase of a round. */
export interface DevelopPhase {
  /** The phase. */
  readonly phase: WorkPhase;
  /** The round, from 1. */
  readonly round: number;
}

/** A development that goes on. */
export interface DevelopHandle extends Pick<GoalRun, 'stop'> {
  /** Name of the goal. */
  readonly goalId: string;
  /** What it comes to; rejects only for a fault of the host. */
  readonly result: Promise<DevelopResult>;
}

/** What a development came to. */
export interface DevelopResult {
  /** Type of this document. */
  readonly kind: 'develop_result';
  /** Version of this document. */
  readonly schema_version: '1.0';
  /** Name of the goal. */
  readonly goal_id: string;
  /**
   * `success` when every criterion passed, `rejected` when one did not or a phase changed what it may not, `blocked`
   * when the model gave a phase up, `held` for a person, `interrupted` when it was stopped. It can be gone on with
   * unless the goal in the handoff has ended.
   */
  readonly status:
    | 'success'
    | 'rejected'
    | 'blocked'
    | 'failed'
    | 'budget_exhausted'
    | 'deadline'
    | 'cancelled'
    | 'held'
    | 'interrupted';
  /** Why it is not a success; null when it is. */
  readonly message: string | null;
  /** What a person reviews. */
  readonly handoff: DevelopHandoff;
  /** The patch, for `git apply`; null before the first verdict. */
  readonly patch: string | null;
  /** What a person has to decide; empty unless it is held. */
  readonly holds: readonly RunHold[];
  /** The folder that holds `handoff.json` and `candidate.patch`. */
  readonly folder: string;
  /** The trail. */
  readonly trail_path: string;
}
