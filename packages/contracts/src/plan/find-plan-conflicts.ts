import type { CompiledHarnessPlan, PlanNode } from './compiled-harness-plan.ts';

/** What the parts of a well-formed plan say against each other, one sentence each. */
export function findPlanConflicts(plan: CompiledHarnessPlan): readonly string[] {
  return [
    ...findRepetitions(plan.nodes),
    ...findNodeConflicts(plan),
    ...findTerminalConflicts(plan),
    ...findArtifactConflicts(plan),
  ];
}

function findRepetitions(nodes: readonly PlanNode[]): readonly string[] {
  const problems: string[] = [];
  const seen = { id: new Set<string>(), name: new Set<string>(), tool: new Set<string>() };
  nodes.forEach((node, index) => {
    const tool = `${node.binding.tool_id}@${node.binding.tool_version}`;
    if (seen.id.has(node.node_id)) problems.push(`/nodes/${index}/node_id is used twice.`);
    if (seen.name.has(node.model_tool_name)) {
      problems.push(`/nodes/${index}/model_tool_name is used twice.`);
    }
    if (seen.tool.has(tool))
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
    node.prerequisites.forEach(({ node_id }, position) => {
      const other = nodeIds.has(node_id) && node_id !== node.node_id;
      if (!other) problems.push(`${at}/prerequisites/${position}/node_id must name another node.`);
    });
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
