import { type CompiledHarnessPlan, createRedactor, deepFreeze } from '@millforge/contracts';
import { changesOfArtifacts } from './changes-of-artifacts.ts';
import { changesOfBudgets } from './changes-of-budgets.ts';
import { changesOfCapabilities } from './changes-of-capabilities.ts';
import { changesOfEnds } from './changes-of-ends.ts';
import { changesOfGates } from './changes-of-gates.ts';
import { changesOfHarness } from './changes-of-harness.ts';
import { changesOfNodes } from './changes-of-nodes.ts';
import { changesOfPrompt } from './changes-of-prompt.ts';
import {
  type ChangeRisk,
  type ChangeValue,
  type PlanChange,
  type PlanDiff,
  RISKS,
} from './plan-diff.ts';

/** Finds what differs in meaning between two plans, and what risk each difference adds. Pure; the result is frozen. */
export function diffPlans(before: CompiledHarnessPlan, after: CompiledHarnessPlan): PlanDiff {
  const changes = [
    ...changesOfHarness(before, after),
    ...changesOfPrompt(before, after),
    ...changesOfBudgets(before.budgets, after.budgets),
    ...changesOfCapabilities(before, after),
    ...changesOfNodes(before, after),
    ...changesOfEnds(before, after),
    ...changesOfGates(before, after),
    ...changesOfArtifacts(before, after),
  ];
  const sorted = changes
    .map(withoutSecrets)
    .toSorted(
      (a, b) =>
        rank(b.risk) - rank(a.risk) || compare(a.path, b.path) || compare(a.change, b.change),
    );
  return deepFreeze({
    kind: 'plan_diff',
    schema_version: '1.0',
    before_sha256: before.compiled_sha256,
    after_sha256: after.compiled_sha256,
    risk: sorted[0]?.risk ?? 'none',
    changes: sorted,
  });
}

function rank(risk: ChangeRisk): number {
  return RISKS.indexOf(risk);
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

const redactor = createRedactor();

function withoutSecrets(change: PlanChange): PlanChange {
  const masked = (value: ChangeValue): ChangeValue => {
    if (typeof value === 'string') return redactor.text(value);
    return typeof value === 'object' && value !== null
      ? value.map((item) => redactor.text(item))
      : value;
  };
  const { message, before, after } = change;
  return {
    ...change,
    message: redactor.text(message),
    before: masked(before),
    after: masked(after),
  };
}
