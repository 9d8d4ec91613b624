import {
  MillforgeError,
  type ModelProfileRef,
  type ToolBinding,
  type ToolCatalogEntry,
} from '@millforge/contracts';
import type { CheckedFacts } from '../check/check-harness.ts';
import type { HarnessNode, HarnessSource } from '../harness-source.ts';
import type { ResolvedHarness } from '../resolve/resolved-harness.ts';
import { toSortedPrerequisites } from './sorted-prerequisites.ts';

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
  /** The exact tool, as a plan names it. */
  readonly binding: ToolBinding;
  /** Its prerequisites, sorted. */
  readonly prerequisites: ReturnType<typeof toSortedPrerequisites>;
}

/** Joins what resolving and checking found, once neither found a fault. */
export function toCheckedHarness(resolved: ResolvedHarness, facts: CheckedFacts): CheckedHarness {
  const { source, profile } = resolved;
  const nodes = resolved.nodes.flatMap(({ nodeId, source: written, tool }) =>
    tool === null ? [] : [toCheckedNode(nodeId, written, tool)],
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

function toCheckedNode(nodeId: string, source: HarnessNode, tool: ToolCatalogEntry): CheckedNode {
  const { tool_id, tool_version, descriptor_sha256, implementation_id } = tool;
  return {
    nodeId,
    source,
    tool,
    binding: { tool_id, tool_version, descriptor_sha256, implementation_id },
    prerequisites: toSortedPrerequisites(source.prerequisites),
  };
}
