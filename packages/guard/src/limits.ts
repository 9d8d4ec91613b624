export { exhaustedIterations } from './exhaustion.ts';
export { findOverrun } from './find-overrun.ts';
export type { AskedInVain, BudgetName, MistakeCounts } from './guard-state.ts';
export type { ObservedLimitName, ObservedUsage } from './observed-usage.ts';
export {
  checkRepeat,
  initialRepeatState,
  type PerformedCall,
  type RepeatableCall,
  type RepeatLimits,
  type RepeatState,
  type RepeatVerdict,
  recordResult,
  repeatKey,
} from './repeats/repeat-guard.ts';
