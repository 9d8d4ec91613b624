export type { CompileFileInput } from './publish/admit-and-compile.ts';
export { checkFile } from './publish/check-file.ts';
export { compileFile } from './publish/compile-file.ts';
export type {
  CheckFileOutcome,
  CompileFileOutcome,
  ConflictingFile,
  CurrentFile,
  FileOutcome,
  MissingFile,
  PlanFile,
  PublishedFile,
  RejectedFile,
  ReportState,
  UnsureFile,
  UnwrittenFile,
} from './publish/compile-file-outcome.ts';
export type {
  CapabilityEnvelope,
  CapabilityGrant,
  CompileFileRequest,
} from './publish/compile-file-request.ts';
export { toCompileResultJson } from './publish/compile-result-json.ts';
export { loadPlan } from './publish/load-plan.ts';
export { publicationDiagnostics } from './publish/publication-diagnostics.ts';
export { type PublishFiles, systemFiles } from './publish/publish-files.ts';
export {
  type PlanPublication,
  type PublishInput,
  type PublishOutcome,
  publishPlan,
} from './publish/publish-plan.ts';
export type { Leftover } from './publish/temporary-file.ts';
