import type { CompiledHarnessPlan, PlanNode } from './compiled-harness-plan.ts';

/** What the parts of a well-formed plan say against each other, one sentence each. */
export function findPlanConflicts(plan: CompiledHarnessPlan): readonly string[] {
  return [
    ...findRepetitions(plan),
    ...findNodeConflicts(plan),
    ...findObligationConflicts(plan),
    ...findConstraintConflicts(plan),
    ...findTerminalConflicts(plan),
    ...findArtifactConflicts(plan),
  ];
}

function findRepetitions({ nodes, schema_version }: CompiledHarnessPlan): readonly string[] {
  const problems: string[] = [];
  const seen = { id: new Set<string>(), name: new Set<string>(), tool: new Set<string>() };
  nodes.forEach((node, index) => {
    const tool = `${node.binding.tool_id}@${node.binding.tool_version}`;
    if (seen.id.has(node.node_id)) problems.push(`/nodes/${index}/node_id is used twice.`);
    if (seen.name.has(node.model_tool_name)) {
      problems.push(`/nodes/${index}/model_tool_name is used twice.`);
    }
    if (schema_version === '1.0' && seen.tool.has(tool))
      problems.push(`/nodes/${index}/binding names a tool that is bound twice.`);
    seen.id.add(node.node_id);
    seen.name.add(node.model_tool_name);
    seen.tool.add(tool);
  });
  return problems;
}

function findNodeConflicts(plan: CompiledHarnessPlan): readonly string[] {
  const problems: string[] = [];
  const nodeIds = new Set(plan.nodes.map((node) => node.node_id));
  const capabilities = new Set(plan.required_capabilities);
  const declared = new Set(plan.artifact_policy.declared_artifact_ids);
  plan.nodes.forEach((node, index) => {
    const at = `/nodes/${index}`;
    for (const { node_id, pointer } of prerequisitesOf(node, at)) {
      const other = nodeIds.has(node_id) && node_id !== node.node_id;
      if (!other) problems.push(`${pointer}/node_id must name another node.`);
    }
    if (node.terminal_result !== null && node.required) {
      problems.push(`${at}/required must be false for a terminal node.`);
    }
    if (!node.required_capabilities.every((id) => capabilities.has(id))) {
      problems.push(`${at}/required_capabilities must all be in /required_capabilities.`);
    }
    if (!node.produced_artifact_ids.every((id) => declared.has(id))) {
      problems.push(`${at}/produced_artifact_ids must all be declared in /artifact_policy.`);
    }
  });
  return problems;
}

/** Every node that a node stands on, alternatives included, and where it is named. */
function prerequisitesOf(node: PlanNode, at: string) {
  return node.prerequisites.flatMap((one, index) => {
    const pointer = `${at}/prerequisites/${index}`;
    return 'any_of' in one
      ? one.any_of.map(({ node_id }, position) => ({
          node_id,
          pointer: `${pointer}/any_of/${position}`,
        }))
      : [{ node_id: one.node_id, pointer }];
  });
}

/** What only a plan of version 1.1 can say wrong. */
function findObligationConflicts(plan: CompiledHarnessPlan): readonly string[] {
  if (plan.schema_version === '1.0') return [];
  const problems: string[] = [];
  const results = new Set(Object.values(plan.terminal_result_map));
  plan.nodes.forEach((node, index) => {
    const at = `/nodes/${index}`;
    const { required_for = [], calls = { min: 1, max: null }, disposition = null } = node;
    const isTerminal = node.terminal_result !== null;
    const earlier = prerequisitesOf(node, at).map(({ node_id }) => node_id);
    if (new Set(earlier).size < earlier.length) {
      problems.push(`${at}/prerequisites must name each node once.`);
    }
    if (!required_for.every((result) => results.has(result))) {
      problems.push(`${at}/required_for must name results of terminal nodes.`);
    }
    if (required_for.length > 0 && (node.required || isTerminal)) {
      problems.push(`${at}/required_for must be empty for a required or a terminal node.`);
    }
    const isUnbounded = calls.min === 1 && calls.max === null;
    if (isTerminal && !isUnbounded) problems.push(`${at}/calls must not bound a terminal node.`);
    if (calls.max !== null && calls.max < calls.min) {
      problems.push(`${at}/calls/max must not be below min.`);
    }
    if (calls.min > 1 && !node.required && required_for.length === 0) {
      problems.push(`${at}/calls/min must be 1 for a node that nothing requires.`);
    }
    if (isTerminal !== (disposition !== null)) {
      problems.push(`${at}/disposition must be given exactly for a terminal node.`);
    }
  });
  return problems;
}

function findConstraintConflicts(plan: CompiledHarnessPlan): readonly string[] {
  const problems: string[] = [];
  const needed = new Set(plan.required_capabilities);
  const seen = new Set<string>();
  (plan.capability_constraints ?? []).forEach(({ capability_id }, index) => {
    const at = `/capability_constraints/${index}/capability_id`;
    if (!needed.has(capability_id)) problems.push(`${at} must be in /required_capabilities.`);
    if (seen.has(capability_id)) problems.push(`${at} is used twice.`);
    seen.add(capability_id);
  });
  return problems;
}

function findTerminalConflicts(plan: CompiledHarnessPlan): readonly string[] {
  const terminals = plan.nodes.filter((node) => node.terminal_result !== null);
  const named = Object.entries(plan.terminal_result_map);
  const results = new Map(named);
  const agrees =
    named.length === terminals.length &&
    terminals.every((node) => results.get(node.node_id) === node.terminal_result);
  return [
    ...(terminals.length === 0 ? ['/nodes must contain a terminal node.'] : []),
    ...(agrees
      ? []
      : ['/terminal_result_map must name exactly the terminal nodes and their results.']),
  ];
}

function findArtifactConflicts(plan: CompiledHarnessPlan): readonly string[] {
  const problems: string[] = [];
  const results = new Set(Object.values(plan.terminal_result_map));
  const declared = new Set(plan.artifact_policy.declared_artifact_ids);
  const produced = new Set(plan.nodes.flatMap((node) => node.produced_artifact_ids));
  const seen = new Set<string>();
  plan.artifact_policy.required_by_terminal.forEach((policy, index) => {
    const at = `/artifact_policy/required_by_terminal/${index}`;
    if (!results.has(policy.terminal_result)) {
      problems.push(`${at}/terminal_result must be the result of a terminal node.`);
    }
    if (seen.has(policy.terminal_result)) problems.push(`${at}/terminal_result is used twice.`);
    seen.add(policy.terminal_result);
    if (!policy.artifact_ids.every((id) => declared.has(id) && produced.has(id))) {
      problems.push(`${at}/artifact_ids must all be declared and produced by some node.`);
    }
  });
  return problems;
}
