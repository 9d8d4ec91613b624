import type {
  Tool,
  ToolApproval,
  ToolCatalog,
  ToolImplementation,
  ToolOrigin,
} from '@millforge/contracts';

/** The tools that exist, frozen: what a compiler may name and an executor may run. */
export interface RegistrySnapshot extends ToolCatalog {
  /** One record per tool, sorted by id, version, implementation and digest. */
  readonly records: readonly ToolRecord[];
  /** The code of every tool, by implementation id. */
  readonly implementations: ReadonlyMap<string, ToolImplementation>;
  /** The tool of that id and version, or null; never throws. */
  findTool(toolId: string, toolVersion: number): RegisteredTool | null;
}

/** Proof of what a tool was: the digest covers its descriptor without the annotations of its schemas. */
export type ToolRecord = {
  /** Dotted id. */
  readonly tool_id: string;
  /** Exact version. */
  readonly tool_version: number;
  /** Names the code that runs it. */
  readonly implementation_id: string;
  /** Digest of the descriptor. */
  readonly descriptor_sha256: string;
};

/** A tool as the registry holds it. */
export interface RegisteredTool extends Tool {
  /** Digest of the descriptor, computed once. */
  readonly descriptorSha256: string;
  /** Where the tool comes from; dispatch goes by this, never by the id. */
  readonly origin: ToolOrigin;
  /** Whether somebody has to agree to every call. */
  readonly approval: ToolApproval;
}
