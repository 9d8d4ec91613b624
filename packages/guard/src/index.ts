export type {
  JsonObject,
  JsonSchema,
  ModelMessage,
  ModelReply,
  ModelTool,
  ModelToolCall,
} from '@millforge/contracts';
export type { ArgumentRepair } from './argument-repair.ts';
export { type Exhaustion, exhaustedIterations } from './exhaustion.ts';
export { findOverrun } from './find-overrun.ts';
export type {
  GuardDecision,
  InspectedCall,
  ReAskReason,
  RefusalReason,
} from './guard-decision.ts';
export { defaultPolicy, type GuardPolicy } from './guard-policy.ts';
export {
  type AskedInVain,
  type BudgetName,
  type GuardState,
  initialGuardState,
  type MistakeCounts,
} from './guard-state.ts';
export { type GuardTool, toGuardTool } from './guard-tool.ts';
export { type HistoryMend, type MendedHistory, mendHistory } from './history/mend-history.ts';
export { type InspectedReply, type InspectOptions, inspectReply } from './inspect-reply.ts';
export { announcesAction } from './intent/announces-action.ts';
export { type SplitText, splitReasoning } from './intent/split-reasoning.ts';
export type { ToolChoice } from './judge/judge-text.ts';
export type { SnapReach } from './names/snap-name.ts';
export { type Nudge, nudgeText } from './nudge-text.ts';
export type { ObservedLimitName, ObservedUsage } from './observed-usage.ts';
export { exampleArguments } from './prompt/example-arguments.ts';
export { respondTool } from './prompt/respond-tool.ts';
export { toolInstructions, toPromptMessages } from './prompt/to-prompt-messages.ts';
export { type RepairedArguments, type RepairOptions, repairArguments } from './repair-arguments.ts';
export {
  checkRepeat,
  initialRepeatState,
  type PerformedCall,
  type RepeatableCall,
  type RepeatLimits,
  type RepeatState,
  type RepeatVerdict,
  recordResult,
} from './repeats/repeat-guard.ts';
export {
  type RescuedCall,
  type RescuedText,
  type RescueOptions,
  rescueToolCalls,
} from './rescue/rescue-tool-calls.ts';
export type { TextCallFormat } from './rescue/text-call.ts';
export { type BatchReport, settleBatch } from './settle-batch.ts';
export type { StepCount } from './step-counts.ts';
export {
  type CallVerdict,
  createStepGate,
  type StepAlternatives,
  type StepCall,
  type StepGate,
  type StepNode,
  type StepPrerequisite,
  type StepState,
  type StepVerdict,
} from './step-gate.ts';
export {
  type StepNudge,
  stepNudgeText,
  type UnmetPrerequisite,
  type UnmetStep,
} from './step-nudge-text.ts';
export { createTextRelease, type TextRelease } from './stream/text-release.ts';
export {
  type AskModel,
  type GuardedCall,
  type GuardedTurn,
  type GuardTurnOptions,
  guardTurn,
} from './turn/guard-turn.ts';
