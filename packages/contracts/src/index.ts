export {
  boundDiagnostics,
  type DiagnosticOrder,
  type PhasePrecedence,
  sortDiagnostics,
} from './diagnostic/bound-diagnostics.ts';
export {
  type DiagnosticConstructor,
  type DiagnosticConstructors,
  type DiagnosticDefinition,
  type DiagnosticFields,
  type DiagnosticPlace,
  defineDiagnostics,
} from './diagnostic/define-diagnostics.ts';
export {
  type Diagnostic,
  type DiagnosticField,
  type DiagnosticFieldValue,
  type DiagnosticSpan,
  toDiagnosticJson,
} from './diagnostic/diagnostic.ts';
export {
  createRedactor,
  looksSecret,
  type Redactor,
  type RedactorOptions,
} from './diagnostic/redaction.ts';
export {
  MillforgeError,
  type MillforgeErrorOptions,
  unreachable,
} from './error/millforge-error.ts';
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
  type ToolReference,
} from './ids/identifiers.ts';
export { type CanonicalJsonOptions, canonicalJson } from './json/canonical-json.ts';
export { digest, sha256 } from './json/digest.ts';
export { deepFreeze } from './json/freeze.ts';
export type { JsonFault, ReadJsonReason } from './json/json-cursor.ts';
export {
  type ExactJson,
  JsonFloat,
  type JsonObject,
  type JsonPrimitive,
  type JsonValue,
} from './json/json-value.ts';
export { type ReadJsonOptions, type ReadJsonResult, readJson } from './json/read-json.ts';
export { toPlainJson } from './json/to-plain-json.ts';
export {
  compileExplainer,
  type SchemaViolation,
  type Validator,
} from './json-schema/compile-explainer.ts';
export { compileValidator, validateJson } from './json-schema/compile-validator.ts';
export {
  fromStandardSchema,
  type StandardSchemaResult,
} from './json-schema/from-standard-schema.ts';
export { formatExample } from './json-schema/has-format.ts';
export {
  type NormalizeSchemaOptions,
  type NormalizeSchemaResult,
  normalizeSchema,
} from './json-schema/normalize-schema.ts';
export type {
  ArraySchema,
  BooleanSchema,
  ChoiceSchema,
  ConstSchema,
  JsonSchema,
  NumberSchema,
  ObjectSchema,
  ScalarSchema,
  SchemaAnnotations,
  SchemaFormat,
  SchemaNumber,
  SchemaScalar,
  SchemaType,
  StringSchema,
  UnionSchema,
} from './json-schema/schema.ts';
export type { SchemaFault } from './json-schema/schema-fault.ts';
export {
  type ProviderSchema,
  type ProviderSchemaChange,
  SCHEMA_DIALECTS,
  type SchemaDialect,
  toProviderSchema,
} from './json-schema/to-provider-schema.ts';
export { type Schema10Result, toSchema10 } from './json-schema/to-schema-10.ts';
export { withoutAnnotations } from './json-schema/without-annotations.ts';
export {
  IMAGE_MEDIA_TYPES,
  type ImageMediaType,
  type ModelImage,
  type OutcomeImage,
  type ToolImage,
} from './model/image.ts';
export type {
  ModelCapabilities,
  ModelClient,
  ModelCompletion,
  ModelDelta,
  ModelFailure,
  ModelMessage,
  ModelReply,
  ModelRequest,
  ModelRequestOptions,
  ModelSupport,
  ModelTool,
  ModelToolCall,
  ModelUsage,
} from './model/model-client.ts';
export {
  type CapabilityConstraints,
  type CapabilityGrant,
  CONSTRAINT_LISTS,
  type ConstraintList,
  MAX_CONSTRAINT_ENTRIES,
  type PlanCapabilityConstraint,
} from './plan/capability-constraints.ts';
export type {
  ArtifactPolicy,
  CompiledHarnessPlan,
  CompilerIdentity,
  ContextPolicy,
  ObservedLimits,
  PlanAlternatives,
  PlanArgumentMatch,
  PlanBudgets,
  PlanCallBounds,
  PlanNode,
  PlanPrerequisite,
  PromptPolicy,
  TerminalArtifacts,
} from './plan/compiled-harness-plan.ts';
export { findPlanProblems } from './plan/find-plan-problems.ts';
export { inferDisposition } from './plan/infer-disposition.ts';
export { planBytes, planDigest, signPlan } from './plan/plan-bytes.ts';
export {
  capabilityOf,
  grantDocument,
  type ReadCapabilityGrant,
  readCapabilityGrant,
} from './plan/read-capability-grant.ts';
export {
  MAX_PLAN_BYTES,
  type PlanExpectation,
  type ReadPlanResult,
  readPlan,
} from './plan/read-plan.ts';
export type { Clock } from './time/clock.ts';
export type { Ids } from './time/ids.ts';
export {
  defineTool,
  descriptorDigest,
  type SchemaSource,
  type StandardOutputSchema,
  type StandardSchema,
  type ToolDefinition,
} from './tool/define-tool.ts';
export { ORIGIN_PREFIXES, originOf } from './tool/origin-of.ts';
export { type ApprovalDecision, TOOL_APPROVALS, type ToolApproval } from './tool/tool-approval.ts';
export type {
  CatalogLookup,
  ModelProfileCatalog,
  ModelProfileRef,
  ToolCatalog,
  ToolCatalogEntry,
} from './tool/tool-catalog.ts';
export {
  IDEMPOTENCIES,
  type Idempotency,
  SIDE_EFFECT_CLASSES,
  type SideEffectClass,
  TOOL_ORIGINS,
  type ToolBinding,
  type ToolDescriptor,
  type ToolOrigin,
  type ToolOutputPolicy,
  type ToolTimeoutPolicy,
} from './tool/tool-descriptor.ts';
export type {
  LiveToolContext,
  PreparedTool,
  Tool,
  ToolContext,
  ToolImplementation,
  ToolReach,
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
  operationHeld,
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
export type { ArtifactEntry, RunArtifacts } from './trail/run-artifacts.ts';
export {
  DISPOSITIONS,
  type Disposition,
  type FailureClass,
  type PartialWork,
  type RunOutcome,
  type RunStatus,
  type SelectedOutput,
} from './trail/run-outcome.ts';
export type { RunBudget, RunHold, RunResult } from './trail/run-result.ts';
export type { TrailRecord } from './trail/trail-record.ts';
