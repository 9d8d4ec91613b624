export type { JsonObject, ModelMessage, ModelReply } from '@millforge/contracts';
export type { Exhaustion } from './exhaustion.ts';
export type { GuardDecision, InspectedCall, ReAskReason, RefusalReason } from './guard-decision.ts';
export { defaultPolicy, type GuardPolicy } from './guard-policy.ts';
export { type GuardState, initialGuardState } from './guard-state.ts';
export { type GuardTool, toGuardTool } from './guard-tool.ts';
export { type InspectedReply, type InspectOptions, inspectReply } from './inspect-reply.ts';
export type { ToolChoice } from './judge/judge-text.ts';
export { type BatchReport, settleBatch } from './settle-batch.ts';
export {
  type AskModel,
  type GuardedCall,
  type GuardedTurn,
  type GuardTurnOptions,
  guardTurn,
} from './turn/guard-turn.ts';
