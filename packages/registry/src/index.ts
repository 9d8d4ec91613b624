export {
  type ApprovalPolicy,
  type ApprovalRule,
  type ApprovalVerdict,
  type ReadApprovalPolicy,
  readApprovalPolicy,
} from './approval-policy.ts';
export type { ApprovalRequest } from './approval-request.ts';
export { createRegistry, type Registry, type RegistryErrorCode } from './create-registry.ts';
export { createToolExecutor, type ToolExecutorOptions } from './create-tool-executor.ts';
export type { HostFolders } from './hide-folders.ts';
export type { RegisteredTool, RegistrySnapshot, ToolRecord } from './registry-snapshot.ts';
export type {
  AsJson,
  CallContext,
  CallRecord,
  CallRun,
  CheckedCall,
  ExecutedCall,
  PreparedCall,
  PrerequisiteDecision,
  RefusedCall,
  RequestedCall,
  ToolExecutor,
} from './tool-executor.ts';
export type {
  ToolTraceRecord,
  TraceApproval,
  TraceBinding,
  TraceDecision,
} from './tool-trace-record.ts';
