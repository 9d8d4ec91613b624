export type { JsonObject, JsonSchema, ModelReply, ModelTool } from '@millforge/contracts';
export type { ArgumentRepair } from './argument-repair.ts';
export { type Exhaustion, exhaustedIterations } from './exhaustion.ts';
export { findOverrun } from './find-overrun.ts';
export type { GuardPolicy } from './guard-policy.ts';
export {
  type BudgetName,
  type GuardState,
  initialGuardState,
  type MistakeCounts,
} from './guard-state.ts';
export {
  type GuardDecision,
  type InspectedCall,
  inspectReply,
} from './inspect-reply.ts';
export { type Nudge, nudgeText, type UnmetPrerequisite, type UnmetStep } from './nudge-text.ts';
export type { ObservedLimitName, ObservedUsage } from './observed-usage.ts';
export { type RepairedArguments, repairArguments } from './repair-arguments.ts';
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
