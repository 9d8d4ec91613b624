import { MillforgeError, type ModelProfileRef, type ToolCatalogEntry } from '@millforge/contracts';
import type { CheckedFacts } from '../check/check-harness.ts';
import type { HarnessNode, HarnessSource } from '../harness-source.ts';
import type { ResolvedHarness } from '../resolve/resolved-harness.ts';

/** A harness without faults: everything in it has a name that resolved. */
export interface CheckedHarness {
  /** The harness as it was read. */
  readonly source: HarnessSource;
  /** The model profile. */
  readonly profile: ModelProfileRef;
  /** All nodes with their tools, sorted by id. */
  readonly nodes: readonly CheckedNode[];
  /** Union of what the tools need, sorted. */
  readonly requiredCapabilities: readonly string[];
  /** Who makes which artifact. */
  readonly producerEvidence: CheckedFacts['producerEvidence'];
}

/** A node with its tool. */
export interface CheckedNode {
  /** Id of the node. */
  readonly nodeId: string;
  /** The node as it was read. */
  readonly source: HarnessNode;
  /** The tool. */
  readonly tool: ToolCatalogEntry;
}

/** Joins what resolving and checking found, once neither found a fault. */
export function toCheckedHarness(resolved: ResolvedHarness, facts: CheckedFacts): CheckedHarness {
  const { source, profile } = resolved;
  const nodes = resolved.nodes.flatMap((node) =>
    node.tool === null ? [] : [{ nodeId: node.nodeId, source: node.source, tool: node.tool }],
  );
  if (profile === null || nodes.length < resolved.nodes.length) {
    throw new MillforgeError(
      'internal/unresolved-harness',
      'A name is unresolved, but was not reported.',
    );
  }
  const { requiredCapabilities, producerEvidence } = facts;
  return { source, profile, nodes, requiredCapabilities, producerEvidence };
}
