export {
  type CompiledCustomTool,
  type CustomToolSource,
  type CustomToolsResult,
  compileCustomTools,
} from './compile.ts';
export type {
  ApprovalRequirement,
  CommandImplementation,
  CustomToolDeclaration,
  CustomToolImplementation,
  CustomToolManifest,
  DescriptionPolicy,
  ImplementationLimits,
  JavaScriptImplementation,
  ManifestVersion,
  RuntimeKind,
} from './custom-tool-manifest.ts';
export type { ApprovalMatrix, CustomToolPolicy } from './custom-tool-policy.ts';
export type { CustomToolRecord, ImplementationRecord } from './custom-tool-record.ts';
