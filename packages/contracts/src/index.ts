export {
  boundDiagnostics,
  type Diagnostic,
  type DiagnosticOrder,
  defineDiagnostics,
  sortDiagnostics,
  toDiagnosticJson,
} from './diagnostic/diagnostic.ts';
export { createRedactor, looksSecret, type Redactor } from './diagnostic/redaction.ts';
export { MillforgeError, unreachable } from './error/millforge-error.ts';
export {
  formatToolReference,
  isArgumentName,
  isArtifactId,
  isDottedId,
  isModelToolName,
  isNodeId,
  isSha256,
  isTerminalResult,
  parseToolReference,
} from './ids/identifiers.ts';
export { canonicalJson } from './json/canonical-json.ts';
export { digest, sha256 } from './json/digest.ts';
export { deepFreeze } from './json/freeze.ts';
export {
  type ExactJson,
  JsonFloat,
  type JsonObject,
  type JsonPrimitive,
  type JsonValue,
  toPlainJson,
} from './json/json-value.ts';
export { readJson } from './json/read-json.ts';
export {
  compileValidator,
  type SchemaViolation,
  validateJson,
} from './json-schema/compile-validator.ts';
export { type JsonSchema, normalizeSchema } from './json-schema/schema.ts';
export type {
  ModelClient,
  ModelCompletion,
  ModelFailure,
  ModelMessage,
  ModelReply,
  ModelRequest,
  ModelTool,
  ModelToolCall,
  ModelUsage,
} from './model/model-client.ts';
export type {
  ArtifactPolicy,
  CompiledHarnessPlan,
  CompilerIdentity,
  ContextPolicy,
  PlanArgumentMatch,
  PlanBudgets,
  PlanNode,
  PlanPrerequisite,
  PromptPolicy,
  TerminalArtifacts,
} from './plan/compiled-harness-plan.ts';
export { planBytes, planDigest } from './plan/plan-bytes.ts';
export {
  MAX_PLAN_BYTES,
  type PlanExpectation,
  type ReadPlanResult,
  readPlan,
} from './plan/read-plan.ts';
export type { Clock } from './time/clock.ts';
export type { Ids } from './time/ids.ts';
export { defineTool, descriptorDigest, type ToolDefinition } from './tool/define-tool.ts';
export type {
  CatalogLookup,
  ModelProfileCatalog,
  ModelProfileRef,
  ToolCatalog,
  ToolCatalogEntry,
} from './tool/tool-catalog.ts';
export type {
  Idempotency,
  SideEffectClass,
  ToolBinding,
  ToolDescriptor,
  ToolOrigin,
  ToolOutputPolicy,
  ToolTimeoutPolicy,
} from './tool/tool-descriptor.ts';
export type {
  LiveToolContext,
  PreparedTool,
  Tool,
  ToolContext,
  ToolImplementation,
  ToolReconcileContext,
  ToolReconciliation,
  ToolRefusal,
  ToolResult,
  ToolRunContext,
} from './tool/tool-implementation.ts';
export type {
  SideEffectCertainty,
  ToolErrorCode,
  ToolOutcome,
  ToolStatus,
} from './tool/tool-outcome.ts';
export type { ArtifactRef, ArtifactStore } from './trail/artifact-store.ts';
export {
  type ActContext,
  type ActResult,
  type Failure,
  type Operation,
  type OperationEffect,
  type OperationLog,
  type OperationOutcome,
  type OperationRepeat,
  operationFailed,
  operationRefused,
  operationSuspended,
  operationUnavailable,
  operationUncertain,
  type ReconcileContext,
  type Reconciliation,
  type Refusal,
  type SuspendReason,
  type TrailSink,
  type Usage,
} from './trail/operation-log.ts';
export type { Disposition, FailureClass, RunOutcome, RunStatus } from './trail/run-outcome.ts';
export type { RunBudget, RunHold, RunResult } from './trail/run-result.ts';
export type { TrailRecord } from './trail/trail-record.ts';
