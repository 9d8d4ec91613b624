import type { ModelProfileRef, ToolCatalogEntry } from '@millforge/contracts';
import type { HarnessNode, HarnessSource } from '../harness-source.ts';

/** A harness whose names have been looked up. */
export interface ResolvedHarness {
  /** The harness as it was read. */
  readonly source: HarnessSource;
  /** The model profile, or null when it did not resolve. */
  readonly profile: ModelProfileRef | null;
  /** All nodes, sorted by id. */
  readonly nodes: readonly ResolvedNode[];
}

/** A node and the tool that it names. */
export interface ResolvedNode {
  /** Id of the node. */
  readonly nodeId: string;
  /** Pointer to the node in the model: `/graph/nodes/3`, by the order in which nodes were written. */
  readonly path: string;
  /** The node as it was read. */
  readonly source: HarnessNode;
  /** The tool, or null when it did not resolve. */
  readonly tool: ToolCatalogEntry | null;
}
