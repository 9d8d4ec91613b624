import type { CompiledHarnessPlan } from '@millforge/contracts';
import { addedTo, isSame, removedFrom } from './compare-lists.ts';
import type { ChangeRisk, ChangeValue, PlanChange } from './plan-diff.ts';

/** Finds what differs about a harness as a whole: its name, model, context policy and stages. */
export function changesOfHarness(
  before: CompiledHarnessPlan,
  after: CompiledHarnessPlan,
): readonly PlanChange[] {
  const found: PlanChange[] = [];
  const note = (path: string, risk: ChangeRisk, values: readonly [ChangeValue, ChangeValue]) => {
    const [was, is] = values;
    if (isSame(was, is)) return;
    const name = path.slice(1);
    const message = `${name} is ${shown(is)}, it was ${shown(was)}.`;
    found.push({
      change: `${name.replaceAll(/[_/]/g, '-')}-changed`,
      risk,
      path,
      message,
      before: was,
      after: is,
    });
  };
  note('/harness_id', 'medium', [before.harness_id, after.harness_id]);
  note('/harness_version', 'none', [before.harness_version, after.harness_version]);
  note('/schema_version', 'low', [before.schema_version, after.schema_version]);
  note('/compiler_identity', 'none', [compilerOf(before), compilerOf(after)]);
  note('/model_profile', 'medium', [
    before.model_profile.profile_id,
    after.model_profile.profile_id,
  ]);
  const context = { before: before.context_policy, after: after.context_policy };
  const fields = ['budget_tokens', 'keep_recent_iterations', 'strategy_id'] as const;
  for (const field of fields) {
    note(`/context_policy/${field}`, 'low', [context.before[field], context.after[field]]);
  }
  note('/context_policy/phase_thresholds', 'low', [
    context.before.phase_thresholds.map(String),
    context.after.phase_thresholds.map(String),
  ]);
  for (const stage of addedTo(before.stage_kind_ids, after.stage_kind_ids)) {
    const message = `It may be used in the stage ${stage} too.`;
    found.push({
      change: 'stage-added',
      risk: 'low',
      path: '/stage_kind_ids',
      message,
      before: null,
      after: stage,
    });
  }
  for (const stage of removedFrom(before.stage_kind_ids, after.stage_kind_ids)) {
    const message = `It may no longer be used in the stage ${stage}.`;
    found.push({
      change: 'stage-removed',
      risk: 'none',
      path: '/stage_kind_ids',
      message,
      before: stage,
      after: null,
    });
  }
  return found;
}

function shown(value: ChangeValue): string {
  if (value === null) return 'absent';
  return typeof value === 'object' ? value.join(', ') : String(value);
}

function compilerOf({ compiler_identity: who }: CompiledHarnessPlan): string {
  return `${who.name} ${who.version} ${who.build_id}`;
}
