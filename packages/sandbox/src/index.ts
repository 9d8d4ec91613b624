export type { BoundPath } from './bound-paths.ts';
export {
  type ContainerRunner,
  type ContainerSpec,
  type ContainerStart,
  dockerRunner,
  type EngineOptions,
  podmanRunner,
} from './container/container-runner.ts';
export type { Containment, ContainmentTopic, Hold, SandboxTier } from './containment.ts';
export { createSandbox } from './create-sandbox.ts';
export type { SandboxErrorCode } from './error-codes.ts';
export {
  type MeasuredReach,
  type MeasureReachOptions,
  measureReach,
} from './reach/measure-reach.ts';
export type { ReachedThings, ReachReport } from './reach/reach-report.ts';
export type { CommandTier, Sandbox, SandboxOptions, TierReport } from './sandbox.ts';
export type { SandboxLimit, SandboxLimits } from './sandbox-limits.ts';
export type { SandboxCall, SandboxCallOptions, SandboxCommand } from './sandbox-request.ts';
export type {
  CallResult,
  CommandResult,
  SandboxAborted,
  SandboxCrashed,
  SandboxExited,
  SandboxRefused,
  SandboxResult,
  SandboxReturned,
  SandboxRun,
  SandboxStopped,
  SandboxThrew,
  SandboxUnavailable,
} from './sandbox-result.ts';
