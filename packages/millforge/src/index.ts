export {
  type CompileInput,
  type CompileResult,
  compileHarness,
  type HarnessInput,
} from '@millforge/compiler';
export {
  type Clock,
  type CompiledHarnessPlan,
  type Diagnostic,
  defineTool,
  type Ids,
  type JsonObject,
  type JsonValue,
  MillforgeError,
  type ModelClient,
  type RunHold,
  type RunResult,
  readPlan,
  type Tool,
  type ToolCatalog,
  type ToolDefinition,
  type ToolResult,
  type TrailRecord,
} from '@millforge/contracts';
export type { TrailVerdict } from '@millforge/kernel';
export type { ModelProfile, ModelScript } from '@millforge/models';
export { piTools } from '@millforge/pi-tools';
export type { RunEvent } from '@millforge/runtime';
export { createMillforge } from './create-millforge.ts';
export type { MillforgeErrorCode } from './error-codes.ts';
export type {
  DecisionRequest,
  DoctorFinding,
  Millforge,
  ResumeOptions,
  RunHandle,
  RunRequest,
  RunSummary,
} from './millforge.ts';
export type { MillforgeOptions } from './millforge-options.ts';
export type { ModelSetting } from './model-setting.ts';
export { type RunTaskOptions, runTask } from './run-task.ts';
export { VERSION } from './version.ts';
