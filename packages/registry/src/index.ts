export { createRegistry, type Registry, type RegistryErrorCode } from './create-registry.ts';
export { createToolExecutor, type ToolExecutorOptions } from './create-tool-executor.ts';
export type { RegisteredTool, RegistrySnapshot, ToolRecord } from './registry-snapshot.ts';
export type {
  AsJson,
  CallContext,
  CallRecord,
  CheckedCall,
  ExecutedCall,
  PreparedCall,
  PrerequisiteDecision,
  RefusedCall,
  RequestedCall,
  ToolExecutor,
} from './tool-executor.ts';
export type { ToolTraceRecord, TraceBinding, TraceDecision } from './tool-trace-record.ts';
