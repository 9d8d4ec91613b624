import type { ModelSetting } from '@millforge/cli';
import type { InstructionSnapshot, PromptSnapshot } from '@millforge/pi-tools';
import type { RunRequest } from '../run-request.ts';

/** What the runs of a base have in common. */
export interface BaseComposition {
  /** Working directory, absolute, without links. */
  readonly cwd: string;
  /** The model, in normal form. */
  readonly model: ModelSetting;
  /** Model profile of the plan. */
  readonly profileId: string;
  /** Capabilities that a run is granted, sorted. */
  readonly grants: readonly string[];
  /** What was found to be told to the model. */
  readonly instructions: InstructionSnapshot;
  /** The system prompt. */
  readonly prompt: PromptSnapshot;
  /** The plan. */
  readonly plan: RunRequest['plan'];
}
