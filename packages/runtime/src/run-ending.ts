import type { FailureClass, PlanNode, RunStatus, SelectedOutput } from '@millforge/contracts';
import type { Exhaustion } from '@millforge/guard';
import type { BudgetName } from '@millforge/guard/limits';

/** How a run comes to its end: an accepted terminal, or a failure. */
export type RunEnding =
  | {
      readonly kind: 'terminal';
      readonly node: PlanNode;
      /** What the model said. */
      readonly summary: string;
      /** The structured result; null when none was asked for. */
      readonly selectedOutput: SelectedOutput | null;
    }
  | {
      readonly kind: 'failure';
      readonly status: RunStatus;
      readonly failureClass: FailureClass;
      readonly message: string;
      readonly exhausted?: BudgetName;
    };

/** The end of a run that has used up a budget. */
export function endExhausted({ budget, message }: Exhaustion): RunEnding {
  return {
    kind: 'failure',
    status: 'budget_exhausted',
    failureClass: `${budget}_exhausted`,
    message,
    exhausted: budget,
  };
}

/** The end of a run whose log refuses to go on, or null for a refusal that the model may hear of. */
export function endRefused(
  reason: { readonly code: string; readonly message: string },
  failureClass: FailureClass,
): RunEnding | null {
  const { code, message } = reason;
  if (code === 'deadline') return { ...DEADLINE, message };
  if (code === 'budget-exhausted') {
    return { kind: 'failure', status: 'budget_exhausted', failureClass, message };
  }
  return null;
}

const DEADLINE = {
  kind: 'failure',
  status: 'deadline',
  failureClass: 'deadline_expired',
} as const;
