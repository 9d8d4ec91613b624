import type { Diagnostic, TerminalArtifacts } from '@millforge/contracts';
import { report } from '../diagnostics.ts';
import { MOST_OF_ONE_LIST } from '../most-of-one-list.ts';
import { didYouMean, nearestName, quoted } from '../nearest-name.ts';
import type { Finding, FindingPlace } from '../read/word-findings.ts';
import type { ResolvedHarness, ResolvedNode } from '../resolve/resolved-harness.ts';
import { requiredBefore } from './check-graph.ts';
import type { HarnessGraph } from './harness-graph.ts';

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
  readonly findings: readonly Finding[];
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
  const nearest = nearestName(declared);
  const known: Declared = { has: (id) => declared.has(id), nearest };
  const findings = repetitions(declaredIds).map(
    ({ id, index }): Finding => ({
      path: `/artifacts/declared_artifact_ids/${index}`,
      word: (place) =>
        report.duplicateDeclaredArtifact({ ...place, hint: REPEATED, fields: { artifact_id: id } }),
    }),
  );
  const isFirstVersion = harness.source.schema_version === '1.0';
  for (const node of harness.nodes) {
    findings.push(...checkProduction(node, known));
    if (isFirstVersion) findings.push(...checkPossibleProduction(node, known));
  }

  const producers = findProducers(harness, declared);
  const gated = new Map<string, Set<string>>();
  const terminals = new Map(
    harness.nodes.flatMap(({ nodeId, source }) =>
      source.terminal_result === null ? [] : [[source.terminal_result, nodeId] as const],
    ),
  );
  const listing = (id: string) =>
    harness.nodes.filter(({ source }) => source.produces.includes(id)).map(({ nodeId }) => nodeId);
  const nearestResult = nearestName(terminals.keys());
  for (const [index, policy] of harness.source.artifacts.required_by_terminal.entries()) {
    const { terminal_result } = policy;
    const terminal = terminals.get(terminal_result);
    const path = `/artifacts/required_by_terminal/${index}`;
    if (terminal === undefined) {
      const hint = didYouMean(nearestResult(terminal_result)) || 'No node ends with that result.';
      const fields = { terminal_result };
      findings.push({
        path: `${path}/terminal_result`,
        word: (place) => report.unknownTerminalPolicy({ ...place, hint, fields }),
      });
      continue;
    }
    const required = new Set(requiredBefore(terminal_result, harness.nodes));
    const before = (id: string) =>
      required.has(id) || (id !== terminal && graph.dominates(id, terminal));
    const demands: Demands = { path, terminal, known, producers, listing, before, isGraphRight };
    findings.push(...checkPolicy(policy, demands));
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
  return { evidence, findings };
}

/** The declared artifacts. */
interface Declared {
  readonly has: (artifactId: string) => boolean;
  readonly nearest: (wrong: string) => string | null;
}

interface Demands {
  /** Pointer to the policy. */
  readonly path: string;
  /** The terminal node that demands. */
  readonly terminal: string;
  readonly known: Declared;
  readonly producers: ReadonlyMap<string, readonly string[]>;
  /** Nodes that say they make an artifact, whether or not they can. */
  readonly listing: (artifactId: string) => readonly string[];
  /** Nodes that have run when the terminal is reached. */
  readonly before: (nodeId: string) => boolean;
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
  { nodeId, path, source, tool }: ResolvedNode,
  known: Declared,
): readonly Finding[] {
  const possible = new Set(tool?.produced_artifact_ids);
  const declare = (id: string) => declareHint(id, known);
  const cannot = () =>
    possible.size === 0
      ? 'The tool of this node makes no artifacts: remove it here, or bind a tool that makes it.'
      : `The tool of this node makes ${quoted([...possible])}.`;
  const found: Finding[] = [];
  const add = ({ id, index }: PlacedId, word: ReportArtifact, hintFor: (id: string) => string) => {
    found.push({
      path: `${path}/produces/${index}`,
      word: (place) => word({ ...place, nodeId, hint: hintFor(id), fields: { artifact_id: id } }),
    });
  };
  const items = source.produces.map((id, index) => ({ id, index }));
  for (const item of repetitions(source.produces)) {
    add(item, report.duplicateProducedArtifact, () => REPEATED);
  }
  for (const item of first(items, ({ id }) => !known.has(id))) {
    add(item, report.undeclaredProducedArtifact, declare);
  }
  for (const item of first(items, ({ id }) => tool !== null && !possible.has(id))) {
    add(item, report.toolCannotProduceArtifact, cannot);
  }
  return found;
}

type ReportArtifact = typeof report.duplicateProducedArtifact;

/** A plan of version 1.0 lists what each tool can produce, and a run may only store what is declared. */
function checkPossibleProduction(
  { nodeId, path, source, tool }: ResolvedNode,
  known: Declared,
): readonly Finding[] {
  const produced = new Set(source.produces);
  return (tool?.produced_artifact_ids ?? [])
    .filter((id) => !known.has(id) && !produced.has(id))
    .map((artifact_id) => ({
      path: `${path}/tool_ref`,
      word: (place) =>
        report.undeclaredPossibleArtifact({
          ...place,
          nodeId,
          hint: declareHint(artifact_id, known),
          fields: { artifact_id },
        }),
    }));
}

function declareHint(artifactId: string, { nearest }: Declared): string {
  const declare = `Declare it: add ${artifactId} to artifacts.declared_artifact_ids.`;
  const meant = nearest(artifactId);
  return meant === null ? declare : `${didYouMean(meant)} If not: ${lowerFirst(declare)}`;
}

function lowerFirst(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

function checkPolicy(policy: TerminalArtifacts, demands: Demands): readonly Finding[] {
  const { terminal_result, artifact_ids } = policy;
  const about = ({ id, index }: PlacedId, word: (found: AboutDemand) => Diagnostic): Finding => ({
    path: `${demands.path}/artifact_ids/${index}`,
    word: (place) => word({ ...place, fields: { artifact_id: id, terminal_result } }),
  });
  const checkDemand = (item: PlacedId): readonly Finding[] => {
    const { id } = item;
    if (!demands.known.has(id)) {
      const word = (found: AboutDemand) =>
        report.undeclaredRequiredArtifact({ ...found, hint: declareHint(id, demands.known) });
      return [about(item, word)];
    }
    if (!demands.isGraphRight) return [];
    const producers = demands.producers.get(id) ?? [];
    if (producers.length === 0) {
      const word = (found: AboutDemand) =>
        report.artifactWithoutProducer({ ...found, hint: producerHint(demands.listing(id)) });
      return [about(item, word)];
    }
    if (gatedProducers(id, demands).length > 0) return [];
    const hint = `Make ${quoted(producers)} required, or add a prerequisite on it before '${demands.terminal}'.`;
    return [about(item, (found) => report.artifactNotGated({ ...found, hint }))];
  };
  const found: Finding[] = [];
  for (const [index, id] of artifact_ids.entries()) {
    if (found.length >= MOST_OF_ONE_LIST) break;
    found.push(...checkDemand({ id, index }));
  }
  for (const item of repetitions(artifact_ids)) {
    found.push(
      about(item, (place) => report.duplicateDemandedArtifact({ ...place, hint: REPEATED })),
    );
  }
  return found;
}

/** A finding about an artifact that a terminal demands, as it is worded. */
type AboutDemand = FindingPlace & {
  readonly fields: { readonly artifact_id: string; readonly terminal_result: string };
};

function producerHint(listing: readonly string[]): string {
  return listing.length === 0
    ? 'Add it to the produces of a node whose tool can make it.'
    : `${quoted(listing)} lists it, but has no tool that can make it.`;
}

function gatedProducers(artifactId: string, demands: Demands): readonly string[] {
  return (demands.producers.get(artifactId) ?? []).filter((nodeId) => demands.before(nodeId));
}

/** An id and its place in its list. */
interface PlacedId {
  readonly id: string;
  readonly index: number;
}

const REPEATED = 'List it once.';

/** The first repetition of each id that is repeated. */
function repetitions(ids: readonly string[]): readonly PlacedId[] {
  const times = new Map<string, number>();
  return first(
    ids.map((id, index) => ({ id, index })),
    ({ id }) => {
      const time = (times.get(id) ?? 0) + 1;
      times.set(id, time);
      return time === 2;
    },
  );
}

/** Those that a report can show of the items that are wrong. */
function first(
  items: readonly PlacedId[],
  isWrong: (item: PlacedId) => boolean,
): readonly PlacedId[] {
  return items.filter(isWrong).slice(0, MOST_OF_ONE_LIST);
}
