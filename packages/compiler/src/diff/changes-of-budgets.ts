import type { PlanBudgets } from '@millforge/contracts';
import type { PlanChange } from './plan-diff.ts';

/** Finds limits that were raised or lowered. */
export function changesOfBudgets(before: PlanBudgets, after: PlanBudgets): readonly PlanChange[] {
  const { observed_limits: limitsBefore = {}, ...budgetsBefore } = before;
  const { observed_limits: limitsAfter = {}, ...budgetsAfter } = after;
  return [
    ...changesOfLimits('/budgets', budgetsBefore, budgetsAfter),
    ...changesOfLimits('/budgets/observed_limits', limitsBefore, limitsAfter),
  ];
}

/** A limit that is absent bounds nothing, so its removal is an increase. */
function changesOfLimits(path: string, before: object, after: object): readonly PlanChange[] {
  const was = new Map<string, unknown>(Object.entries(before));
  const is = new Map<string, unknown>(Object.entries(after));
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((name) => {
    const [from, to] = [numberIn(was, name), numberIn(is, name)];
    if (from === to) return [];
    const isLarger = (to ?? Number.POSITIVE_INFINITY) > (from ?? Number.POSITIVE_INFINITY);
    return [
      {
        change: isLarger ? 'budget-larger' : 'budget-smaller',
        risk: isLarger ? ('medium' as const) : ('none' as const),
        path: `${path}/${name}`,
        message: `The limit ${name} goes from ${from ?? 'none'} to ${to ?? 'none'}.`,
        before: from,
        after: to,
      },
    ];
  });
}

function numberIn(values: ReadonlyMap<string, unknown>, name: string): number | null {
  const value = values.get(name);
  return typeof value === 'number' ? value : null;
}
