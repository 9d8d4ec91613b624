import type { Clock, Ids } from '@millforge/contracts';
import type { ContainerRunner } from './container/container-runner.ts';
import type { SandboxTier } from './containment.ts';
import type { SandboxLimits } from './sandbox-limits.ts';
import type { SandboxCall, SandboxCallOptions, SandboxCommand } from './sandbox-request.ts';
import type { CallResult, CommandResult } from './sandbox-result.ts';

/** Where commands run; functions always run in QuickJS. */
export type CommandTier =
  | {
      /** Namespaces made by bubblewrap; Linux only. */
      readonly kind: 'bubblewrap';
      /** Program of bubblewrap; default the `bwrap` of the system. */
      readonly program?: string;
    }
  | {
      /** Containers made by an engine. */
      readonly kind: 'container';
      /** How the engine is called. */
      readonly runner: ContainerRunner;
    }
  | {
      /** Processes of this host: no boundary, and every result says so. */
      readonly kind: 'process';
      /** Says that the host program knows this. */
      readonly acceptsNoBoundary: true;
    };

/** What a sandbox is made with. */
export interface SandboxOptions {
  /** Time. */
  readonly clock: Clock;
  /** Names of runs. */
  readonly ids: Ids;
  /** Where commands run; default bubblewrap. A weaker tier is never taken on its own. */
  readonly commandTier?: CommandTier;
  /** The most that a run may ask for; what asks for more is refused, not cut. */
  readonly ceiling?: Partial<SandboxLimits>;
  /** Paths that no run sees, whatever is bound: keys, ledgers. */
  readonly hiddenPaths?: readonly string[];
  /** Child processes kept for calls of functions; default 2. */
  readonly warmProcesses?: number;
}

/** What one tier can do on this host. */
export interface TierReport {
  /** The tier. */
  readonly tier: SandboxTier;
  /** Whether it works here. */
  readonly isAvailable: boolean;
  /** What is missing, or what it is built on. */
  readonly detail: string;
}

/** Runs code that nobody trusts. */
export interface Sandbox extends AsyncDisposable {
  /** The most that a run may ask for. */
  readonly ceiling: SandboxLimits;
  /** Calls a JavaScript function that needs nothing of the host. Never rejects for what the code does. */
  call(request: SandboxCall, options?: SandboxCallOptions): Promise<CallResult>;
  /** Runs a command. Never rejects for what the command does. */
  run(request: SandboxCommand, options?: SandboxCallOptions): Promise<CommandResult>;
  /** Tells which tiers of this sandbox work here. */
  report(): Promise<readonly TierReport[]>;
}
