export {
  type BudgetName,
  type GuardBudgets,
  type GuardState,
  initialGuardState,
  type MistakeBudget,
  type MistakeCounts,
} from './guard-state.ts';
