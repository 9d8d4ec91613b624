export type { JsonObject, JsonSchema, ModelReply, ModelTool } from '@millforge/contracts';
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
export { type InspectedReply, type InspectOptions, inspectReply } from './inspect-reply.ts';
export { announcesAction } from './intent/announces-action.ts';
export { type SplitText, splitReasoning } from './intent/split-reasoning.ts';
export type { ToolChoice } from './judge/judge-text.ts';
export type { SnapReach } from './names/snap-name.ts';
export { type Nudge, nudgeText, type UnmetPrerequisite, type UnmetStep } from './nudge-text.ts';
export type { ObservedLimitName, ObservedUsage } from './observed-usage.ts';
export { exampleArguments } from './prompt/example-arguments.ts';
export { respondTool } from './prompt/respond-tool.ts';
export { type RepairedArguments, type RepairOptions, repairArguments } from './repair-arguments.ts';
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
