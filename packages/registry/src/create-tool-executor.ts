import type {
  Clock,
  CompiledHarnessPlan,
  Redactor,
  ToolImplementation,
} from '@millforge/contracts';
import type { RegistrySnapshot } from './registry-snapshot.ts';
import type { ToolExecutor } from './tool-executor.ts';

/** What an executor is made of. */
export interface ToolExecutorOptions {
  /** The plan; only its names can be called. */
  readonly plan: CompiledHarnessPlan;
  /** The tools; every binding of the plan is proved against them. */
  readonly snapshot: RegistrySnapshot;
  /** The code, by implementation id; usually `snapshot.implementations`. */
  readonly implementations: ReadonlyMap<string, ToolImplementation>;
  /** Time. */
  readonly clock: Clock;
  /** Replaces secrets in traces and in the results of tools that ask for it. */
  readonly redactor: Redactor;
}

/**
 * Makes the boundary between one plan and the code of its tools.
 *
 * Never throws for a binding that has drifted: calls of that tool are refused, the others work.
 */
export function createToolExecutor(options: ToolExecutorOptions): ToolExecutor {
  throw new Error(String(options));
}
