export type { ApprovalAnswer, ApprovalProvider } from './approval-provider.ts';
export type { RuntimeErrorCode } from './error-codes.ts';
export {
  type MemoryOperationLog,
  type MemoryOperationLogOptions,
  memoryOperationLog,
} from './memory-operation-log.ts';
export { type AdmittedOutput, type AdmittedOutputs, admitOutputs } from './output/admit-outputs.ts';
export type { SelectedOutputRequirement } from './output/selected-output-requirement.ts';
export type {
  ApprovalDecided,
  ApprovalRequested,
  CallEnded,
  CallEvent,
  CallRefused,
  CallStarted,
  CallUpdated,
  ContextCompacted,
  ModelReAsked,
  ModelReplied,
  ModelWrote,
  RunEnded,
  RunEvent,
  RunSteered,
  TurnEvent,
  TurnStarted,
} from './run-event.ts';
export type { PlanReference, RunOptions } from './run-options.ts';
export { runPlan } from './run-plan.ts';
export type { Steering, SteeringRequest } from './steering/steering.ts';
export { createSteeringQueue, type SteeringQueue } from './steering/steering-queue.ts';
