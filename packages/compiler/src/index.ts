export {
  type ListedModelProfileCatalog,
  toModelProfileCatalog,
} from './catalog/model-profile-catalog.ts';
export {
  type ListedToolCatalog,
  toToolCatalog,
} from './catalog/tool-catalog.ts';
export { compileHarness } from './compile.ts';
export type { CompileInput, CompilePhase } from './compile-input.ts';
export type { CompileRequest } from './compile-request.ts';
export type { CompiledResult, CompileResult, FailedResult } from './compile-result.ts';
export { COMPILER_IDENTITY } from './compiler-identity.ts';
export { DIAGNOSTIC_ORDER } from './diagnostics.ts';
export { planFileName } from './emit/plan-file-name.ts';
export type {
  HarnessAlternatives,
  HarnessArgumentMatch,
  HarnessArtifacts,
  HarnessCallBounds,
  HarnessGraph,
  HarnessNode,
  HarnessPrerequisite,
  HarnessSource,
  StageScope,
} from './harness-source.ts';
export type { HarnessInput } from './read/parse-input.ts';
