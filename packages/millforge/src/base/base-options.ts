import type { ModelSetting } from '@millforge/cli';
import type { ArtifactStore } from '@millforge/contracts';
import type { BaseTerminal } from '@millforge/pi-tools';

/** What millforge-base is composed of; folder and model have no default. */
export interface OpenBaseOptions {
  /** Working directory, absolute. */
  readonly cwd: string;
  /** The model. */
  readonly model: ModelSetting;
  /** Home of the user, where `.millforge` is looked for; null for none. Default that of the environment. */
  readonly home?: string | null;
  /** Capabilities granted; default all four that it needs. */
  readonly grants?: readonly string[];
  /** How a run may end; default COMPLETE, BLOCKED, REJECTED. */
  readonly terminals?: readonly BaseTerminal[];
  /** Whether the model is told the instruction files `AGENTS.md` and `CLAUDE.md`; default true. */
  readonly contextFiles?: boolean;
  /** Whether the folders of other agents count too: `.pi`. Default false. */
  readonly otherAgents?: boolean;
  /** Stands in for the built-in prompt and for `SYSTEM.md`; at most 65,536 bytes. */
  readonly systemPrompt?: string;
  /** Follows the prompt, in place of `APPEND_SYSTEM.md`; at most 65,536 bytes. */
  readonly appendSystemPrompt?: string;
  /** Date that the model is told, `YYYY-MM-DD`; default none, so that the plan is the same tomorrow. */
  readonly promptDate?: string;
  /** Whether the model is told the path of the working directory; default false. */
  readonly tellsDirectory?: boolean;
  /** Keeps the plan and the evidence of every run too; never closed. */
  readonly artifacts?: ArtifactStore;
}
