import type { CapabilityConstraints, CompiledHarnessPlan } from '@millforge/contracts';
import { addedTo, isSame, removedFrom } from './compare-lists.ts';
import type { ChangeValue, PlanChange } from './plan-diff.ts';

/** Finds capabilities that are needed or bounded in another way. */
export function changesOfCapabilities(
  before: CompiledHarnessPlan,
  after: CompiledHarnessPlan,
): readonly PlanChange[] {
  const path = '/required_capabilities';
  const kept = after.required_capabilities.filter((id) =>
    before.required_capabilities.includes(id),
  );
  return [
    ...addedTo(before.required_capabilities, after.required_capabilities).map((id) => ({
      change: 'capability-added',
      risk: 'high' as const,
      path,
      message: `It needs the capability ${id}, which it did not need.`,
      before: null,
      after: id,
    })),
    ...removedFrom(before.required_capabilities, after.required_capabilities).map((id) => ({
      change: 'capability-removed',
      risk: 'none' as const,
      path,
      message: `It no longer needs the capability ${id}.`,
      before: id,
      after: null,
    })),
    ...kept.flatMap((id) =>
      changesOfConstraints(id, constraintsOf(before, id), constraintsOf(after, id)),
    ),
  ];
}

function constraintsOf(
  { capability_constraints = [] }: CompiledHarnessPlan,
  id: string,
): CapabilityConstraints {
  return capability_constraints.find((item) => item.capability_id === id)?.constraints ?? {};
}

function changesOfConstraints(
  capability: string,
  before: CapabilityConstraints,
  after: CapabilityConstraints,
): readonly PlanChange[] {
  const path = `/capability_constraints/${capability}`;
  const lists = (['paths', 'hosts', 'commands'] as const).flatMap((field) => {
    const [was, is] = [before[field] ?? null, after[field] ?? null];
    if (isSame(was, is)) return [];
    // What is not stated is not bounded.
    const isLooser = is === null || (was !== null && addedTo(was, is).length > 0);
    return [constraintChange({ path: `${path}/${field}`, isLooser, before: was, after: is })];
  });
  const [was, is] = [before.max_bytes ?? null, after.max_bytes ?? null];
  if (was === is) return lists;
  const isLooser = (is ?? Number.POSITIVE_INFINITY) > (was ?? Number.POSITIVE_INFINITY);
  return [
    ...lists,
    constraintChange({ path: `${path}/max_bytes`, isLooser, before: was, after: is }),
  ];
}

function constraintChange(found: {
  readonly path: string;
  readonly isLooser: boolean;
  readonly before: ChangeValue;
  readonly after: ChangeValue;
}): PlanChange {
  const { path, isLooser, before, after } = found;
  const [, , capability = '', field = ''] = path.split('/');
  return {
    change: isLooser ? 'constraint-looser' : 'constraint-tighter',
    risk: isLooser ? 'high' : 'none',
    path,
    message: `The capability ${capability} is bounded ${isLooser ? 'less' : 'more'} in its ${field}.`,
    before,
    after,
  };
}
