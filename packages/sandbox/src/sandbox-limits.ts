/** What one run may use. Every limit is enforced or the run does not start. */
export interface SandboxLimits {
  /** Milliseconds from start to end; then everything is killed. Default 10,000. */
  readonly timeoutMs: number;
  /** Bytes of memory; per process where no control group can be had. Default 256 MiB. */
  readonly memoryBytes: number;
  /** Processes and threads at one time. Default 64. */
  readonly processes: number;
  /** Bytes of output, both streams together; one more ends the run. Default 1 MiB. */
  readonly outputBytes: number;
  /** Bytes of the private folder, and of each file in bound folders. Default 64 MiB. */
  readonly diskBytes: number;
}

/** The limits by name; a result names those that were met. */
export type SandboxLimit = 'time' | 'memory' | 'processes' | 'output' | 'disk' | 'stack';

/** What a run gets that asks for nothing. */
export const DEFAULT_LIMITS: SandboxLimits = Object.freeze({
  timeoutMs: 10_000,
  memoryBytes: 256 * 2 ** 20,
  processes: 64,
  outputBytes: 2 ** 20,
  diskBytes: 64 * 2 ** 20,
});

/** The most that a run may ask for, unless the host says otherwise. */
export const DEFAULT_CEILING: SandboxLimits = Object.freeze({
  timeoutMs: 300_000,
  memoryBytes: 2 * 2 ** 30,
  processes: 256,
  outputBytes: 64 * 2 ** 20,
  diskBytes: 2 ** 30,
});

/** The limits of a run, or the sentence that says which of them is above the ceiling or no number. */
export function resolveLimits(
  asked: Partial<SandboxLimits> | undefined,
  ceiling: SandboxLimits,
): SandboxLimits | string {
  const limits = { ...DEFAULT_LIMITS, ...asked };
  for (const name of LIMIT_NAMES) {
    const value = limits[name];
    if (!Number.isSafeInteger(value) || value < LEAST[name]) {
      return `${name} is ${String(value)}; it is a whole number of at least ${LEAST[name]}.`;
    }
    // A clamped limit would be one that nobody asked for.
    if (value > ceiling[name]) return `${name} is ${value}, above the ceiling of ${ceiling[name]}.`;
  }
  return limits;
}

const LEAST: SandboxLimits = {
  timeoutMs: 1,
  // The runtime that carries the code takes some of it.
  memoryBytes: 4 * 2 ** 20,
  processes: 1,
  outputBytes: 1,
  diskBytes: 4096,
};
const LIMIT_NAMES = ['timeoutMs', 'memoryBytes', 'processes', 'outputBytes', 'diskBytes'] as const;
