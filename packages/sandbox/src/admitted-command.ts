import type { BoundPaths } from './bound-paths.ts';
import type { SandboxLimits } from './sandbox-limits.ts';
import type { SandboxCommand } from './sandbox-request.ts';

/** A command that may run, with all that it is bounded by. */
export interface AdmittedCommand {
  readonly command: SandboxCommand;
  readonly limits: SandboxLimits;
  readonly paths: BoundPaths;
}
