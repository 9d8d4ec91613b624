export { anchoredTools } from './anchored/anchored-tools.ts';
export { assemblePrompt, type PromptParts, type PromptSnapshot } from './base/assemble-prompt.ts';
export { BASE_GRANTS, BASE_IDENTITY } from './base/base-identity.ts';
export type { BaseTerminal } from './base/base-terminals.ts';
export { type BaseDescriptor, describeMillforgeBase } from './base/describe-millforge-base.ts';
export { discoverInstructions, type InstructionPlaces } from './base/discover-instructions.ts';
export type {
  InstructionRecord,
  InstructionSnapshot,
  PromptFile,
} from './base/instruction-snapshot.ts';
export { type BaseHarnessOptions, millforgeBase } from './base/millforge-base.ts';
export { piTerminals } from './base/pi-terminals.ts';
export type { CommandRunner, RunnableCommand, RunnerExit } from './bash/command-runner.ts';
export type { SpawnContext, SpawnHook } from './bash/spawn-hook.ts';
export type { PiToolsErrorCode } from './error-codes.ts';
export type { OnEffect, PiToolOptions } from './pi-tool-options.ts';
export { piTools } from './pi-tools.ts';
export type { PiProfile } from './profile.ts';
