import { type CapabilityConstraints, createRedactor } from '@millforge/contracts';
import { plain } from '../render/plain-text.ts';
import type {
  ExplainedBudget,
  ExplainedCapability,
  ExplainedEnd,
  ExplainedStep,
  ExplainedWait,
  PlanExplanation,
} from './plan-explanation.ts';

/** Writes an explanation for a person to read; ends with a line feed. */
export function renderExplanation(explanation: PlanExplanation): string {
  const { harness_id, harness_version, plan_schema_version, prompt } = explanation;
  const { artifacts, capabilities } = explanation;
  const lines = [
    `${harness_id}@${harness_version}, plan version ${plan_schema_version}`,
    `  plan     ${explanation.compiled_sha256}`,
    `  prompt   ${prompt.policy_id}, ${prompt.system_instructions_bytes} bytes, sha256 ${prompt.system_instructions_sha256}`,
    `  model    ${explanation.model_profile_id}`,
    `  stages   ${explanation.stage_kind_ids.join(', ')}`,
    `  at most  ${explanation.strongest_side_effect}`,
    '',
    'Steps',
    ...explanation.steps.flatMap(stepLines),
    '',
    'Ends',
    ...explanation.ends.flatMap(endLines),
    ...section('Artifacts', artifacts, ({ artifact_id, producer_node_ids, demanded_by }) => [
      `  ${artifact_id}`,
      `    made by      ${listed(producer_node_ids)}`,
      `    demanded by  ${listed(demanded_by)}`,
    ]),
    '',
    'Budgets',
    ...explanation.budgets.map(budgetLine),
    ...section('Capabilities', capabilities, capabilityLines),
  ];
  return `${lines.map((line) => plain(redactor.text(line))).join('\n')}\n`;
}

const redactor = createRedactor();

function section<T>(
  title: string,
  items: readonly T[],
  linesOf: (item: T) => readonly string[],
): readonly string[] {
  return items.length === 0 ? [] : ['', title, ...items.flatMap(linesOf)];
}

function stepLines(step: ExplainedStep): readonly string[] {
  const { min, max } = step.calls;
  const bounds = [
    ...(min > 1 ? [`at least ${min} successes`] : []),
    ...(max === null ? [] : [`at most ${max} calls`]),
  ];
  const facts: readonly (readonly [string, string])[] = [
    ['called as', step.model_tool_name === step.node_id ? '' : step.model_tool_name],
    ['waits for', step.waits_for.map(waitText).join('; ')],
    ['comes after', step.comes_after.join(', ')],
    ['gates', step.gates.join(', ')],
    ['calls', bounds.join(', ')],
    ['makes', step.produced_artifact_ids.join(', ')],
    ['needs', step.required_capabilities.join(', ')],
  ];
  return [
    `  ${step.node_id}  ${step.tool}  ${step.side_effect_class}, ${step.idempotency}`,
    ...facts
      .filter(([, text]) => text !== '')
      .map(([name, text]) => `    ${name.padEnd('comes after'.length)}  ${text}`),
  ];
}

function waitText({ any_of }: ExplainedWait): string {
  const texts = any_of.map(({ node_id, equal_arguments }) =>
    equal_arguments.length === 0 ? node_id : `${node_id} (${equal_arguments.join(', ')})`,
  );
  return texts.length === 1 ? (texts[0] ?? '') : `one of ${texts.join(', ')}`;
}

function endLines(end: ExplainedEnd): readonly string[] {
  const meaning = end.is_disposition_stated ? end.disposition : `${end.disposition}, by its name`;
  return [
    `  ${end.terminal_result} at ${end.node_id}: ${meaning}`,
    `    requires     ${listed(end.required_node_ids)}`,
    `    comes after  ${listed(end.comes_after)}`,
    ...end.demands.map(({ artifact_id, gated_by }) =>
      gated_by.length === 0
        ? `    demands      ${artifact_id}, which no step before it is certain to make`
        : `    demands      ${artifact_id}, made before it by ${gated_by.join(', ')}`,
    ),
  ];
}

function budgetLine({ budget, limit, counts, ends_with }: ExplainedBudget): string {
  return `  ${budget.padEnd('max_premature_terminal_attempts'.length)}  ${limit} ${counts}; past that ${ends_with}`;
}

function capabilityLines(capability: ExplainedCapability): readonly string[] {
  const { capability_id, needed_by, constraints } = capability;
  return [
    `  ${capability_id}`,
    `    needed by    ${listed(needed_by)}`,
    ...(constraints === null ? [] : [`    only         ${constraintText(constraints)}`]),
  ];
}

function constraintText({ paths, hosts, commands, max_bytes }: CapabilityConstraints): string {
  return [
    ...(paths === undefined ? [] : [`paths ${paths.join(', ')}`]),
    ...(hosts === undefined ? [] : [`hosts ${hosts.join(', ')}`]),
    ...(commands === undefined ? [] : [`commands ${commands.join(', ')}`]),
    ...(max_bytes === undefined ? [] : [`${max_bytes} bytes`]),
  ].join('; ');
}

function listed(ids: readonly string[]): string {
  return ids.length === 0 ? 'nothing' : ids.join(', ');
}
