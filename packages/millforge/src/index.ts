export { builtinTools } from '@millforge/builtin-tools';
export type {
  ConnectorSettings,
  DecisionRequest,
  DevelopHandle,
  DevelopPhase,
  DevelopRequest,
  DevelopResult,
  DoctorFinding,
  GoalKind,
  ModelSetting,
  PublicationPlace,
  PublisherReach,
  ResumeOptions,
  ResumeReviewOptions,
  ReviewEvent,
  ReviewHandle,
  ReviewOutcome,
  ReviewRequest,
  RunAttestation,
  RunPublicationName,
  RunPublicationRequest,
  RunPublications,
  RunSummary,
} from '@millforge/cli';
export {
  type CompileResult,
  compileHarness,
  type HarnessInput,
} from '@millforge/compiler';
export {
  type Clock,
  defineTool,
  type Ids,
  type JsonValue,
  MillforgeError,
  type RunResult,
  readPlan,
  type Tool,
  type TrailRecord,
} from '@millforge/contracts';
export type { TrailVerdict } from '@millforge/kernel';
export type { ModelProfile, ModelScript } from '@millforge/models';
export { type BaseTerminal, describeMillforgeBase, piTools } from '@millforge/pi-tools';
export type { RunEvent } from '@millforge/runtime';
export type { BaseEvidence } from './base/base-evidence.ts';
export type { OpenBaseOptions } from './base/base-options.ts';
export {
  createMillforgeBase,
  type MillforgeBaseOptions,
  type SecretResolver,
} from './base/create-millforge-base.ts';
export type { BaseRequest, MillforgeBase } from './base/millforge-base.ts';
export { logInToConnector } from './connectors/log-in-to-connector.ts';
export { openConnector } from './connectors/open-connector.ts';
export { createMillforge } from './create-millforge.ts';
export { openCustomTools } from './custom-tools/open-custom-tools.ts';
export type { MillforgeErrorCode } from './error-codes.ts';
export type { Millforge } from './millforge.ts';
export type { MillforgeOptions } from './millforge-options.ts';
export type { RunHandle } from './run-handle.ts';
export type { RunRequest } from './run-request.ts';
export { type RunTaskOptions, runTask } from './run-task.ts';
export { createHostSandbox, type HostSandboxOptions } from './sandbox/create-host-sandbox.ts';
export {
  type SandboxedCommandsOptions,
  sandboxedCommands,
  sandboxedProfiles,
} from './sandbox/sandboxed-commands.ts';
export type { TaskRun } from './task-run.ts';
export type { TryToolRequest } from './try-tool.ts';
export { VERSION } from './version.ts';
