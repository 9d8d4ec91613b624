import type { Diagnostic, TerminalArtifacts } from '@millforge/contracts';
import { report } from '../diagnostics.ts';
import type { ResolvedHarness, ResolvedNode } from '../resolve/resolved-harness.ts';
import { ancestorsOf, type HarnessGraph } from './harness-graph.ts';

/** Who makes an artifact. */
export interface ProducerEvidence {
  /** The artifact. */
  readonly artifact_id: string;
  /** Nodes that make it, sorted. */
  readonly all_producer_node_ids: readonly string[];
  /** Those of them that have run before every terminal which demands it, sorted. */
  readonly terminal_gated_producer_node_ids: readonly string[];
}

/** Who makes the artifacts of a harness, and which are promised in vain. */
export interface ArtifactCheck {
  /** One per declared artifact, sorted by id. */
  readonly evidence: readonly ProducerEvidence[];
  /** What is wrong. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Checks that what nodes produce is declared, and what terminals demand is made before them.
 *
 * Whether a producer runs in time is asked only of a graph without faults.
 */
export function checkArtifacts(
  harness: ResolvedHarness,
  graph: HarnessGraph,
  isGraphRight: boolean,
): ArtifactCheck {
  const declaredIds = harness.source.artifacts.declared_artifact_ids;
  const declared = new Set(declaredIds);
  const diagnostics = repetitions(declaredIds).map((artifact_id) =>
    report.duplicateDeclaredArtifact({ path: '/', fields: { artifact_id } }),
  );
  for (const node of harness.nodes) diagnostics.push(...checkProduction(node, declared));

  const producers = findProducers(harness, declared);
  const gated = new Map<string, Set<string>>();
  const terminals = new Map(
    harness.nodes.flatMap(({ nodeId, source }) =>
      source.terminal_result === null ? [] : [[source.terminal_result, nodeId] as const],
    ),
  );
  const required = harness.nodes.filter((node) => node.source.required).map((node) => node.nodeId);
  for (const policy of harness.source.artifacts.required_by_terminal) {
    const { terminal_result } = policy;
    const terminal = terminals.get(terminal_result);
    if (terminal === undefined) {
      diagnostics.push(report.unknownTerminalPolicy({ path: '/', fields: { terminal_result } }));
      continue;
    }
    const before = new Set([...ancestorsOf(graph, terminal), ...required]);
    const demands: Demands = { declared, producers, before, isGraphRight };
    diagnostics.push(...checkPolicy(policy, demands));
    for (const id of policy.artifact_ids) {
      const inTime = gated.get(id) ?? new Set();
      for (const nodeId of gatedProducers(id, demands)) inTime.add(nodeId);
      gated.set(id, inTime);
    }
  }
  const evidence = [...declared].toSorted().map((artifact_id) => ({
    artifact_id,
    all_producer_node_ids: producers.get(artifact_id) ?? [],
    terminal_gated_producer_node_ids: [...(gated.get(artifact_id) ?? [])].toSorted(),
  }));
  return { evidence, diagnostics };
}

interface Demands {
  readonly declared: ReadonlySet<string>;
  readonly producers: ReadonlyMap<string, readonly string[]>;
  /** Nodes that have run when the terminal is reached. */
  readonly before: ReadonlySet<string>;
  readonly isGraphRight: boolean;
}

/** A declared artifact is made by a resolved node that says so, of a tool that can. */
function findProducers(
  harness: ResolvedHarness,
  declared: ReadonlySet<string>,
): ReadonlyMap<string, readonly string[]> {
  const producers = new Map<string, string[]>();
  for (const { nodeId, source, tool } of harness.nodes) {
    for (const id of new Set(source.produces)) {
      if (!declared.has(id) || !tool?.produced_artifact_ids.includes(id)) continue;
      const nodes = producers.get(id);
      if (nodes === undefined) producers.set(id, [nodeId]);
      else nodes.push(nodeId);
    }
  }
  return producers;
}

function checkProduction(
  { nodeId, source, tool }: ResolvedNode,
  declared: ReadonlySet<string>,
): readonly Diagnostic[] {
  const possible = tool?.produced_artifact_ids ?? [];
  const about = (artifact_id: string) => ({ path: '/', nodeId, fields: { artifact_id } });
  return [
    ...repetitions(source.produces).map((id) => report.duplicateProducedArtifact(about(id))),
    ...source.produces
      .filter((id) => !declared.has(id))
      .map((id) => report.undeclaredProducedArtifact(about(id))),
    ...source.produces
      .filter((id) => tool !== null && !possible.includes(id))
      .map((id) => report.toolCannotProduceArtifact(about(id))),
    // A plan lists what each tool can produce, and a run may only store what is declared.
    ...possible
      .filter((id) => !declared.has(id) && !source.produces.includes(id))
      .map((id) => report.undeclaredPossibleArtifact(about(id))),
  ];
}

function checkPolicy(policy: TerminalArtifacts, demands: Demands): readonly Diagnostic[] {
  const { terminal_result, artifact_ids } = policy;
  const about = (artifact_id: string) => ({ path: '/', fields: { artifact_id, terminal_result } });
  const checkDemand = (id: string): readonly Diagnostic[] => {
    if (!demands.declared.has(id)) return [report.undeclaredRequiredArtifact(about(id))];
    if (!demands.isGraphRight) return [];
    if ((demands.producers.get(id) ?? []).length === 0) {
      return [report.artifactWithoutProducer(about(id))];
    }
    return gatedProducers(id, demands).length === 0 ? [report.artifactNotGated(about(id))] : [];
  };
  return [
    ...repetitions(artifact_ids).map((id) => report.duplicateDemandedArtifact(about(id))),
    ...artifact_ids.flatMap(checkDemand),
  ];
}

function gatedProducers(artifactId: string, demands: Demands): readonly string[] {
  return (demands.producers.get(artifactId) ?? []).filter((nodeId) => demands.before.has(nodeId));
}

function repetitions(ids: readonly string[]): readonly string[] {
  return [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))];
}
