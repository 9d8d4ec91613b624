export type { JsonObject, JsonSchema, ModelReply, ModelTool } from '@millforge/contracts';
export type { ArgumentRepair } from './argument-repair.ts';
export { type Exhaustion, exhaustedIterations } from './exhaustion.ts';
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
export { type Nudge, nudgeText, type UnmetPrerequisite } from './nudge-text.ts';
export { type RepairedArguments, repairArguments } from './repair-arguments.ts';
export { type BatchReport, settleBatch } from './settle-batch.ts';
export {
  type CallVerdict,
  createStepGate,
  type StepCall,
  type StepGate,
  type StepNode,
  type StepPrerequisite,
  type StepState,
  type StepVerdict,
} from './step-gate.ts';
