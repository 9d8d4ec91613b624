import type { JsonSchema } from '../json-schema/schema.ts';
import type {
  Idempotency,
  SideEffectClass,
  ToolOutputPolicy,
  ToolTimeoutPolicy,
} from './tool-descriptor.ts';

/** What the compiler may see of one tool: its descriptor and the descriptor's digest. */
export interface ToolCatalogEntry {
  /** Dotted id. */
  readonly tool_id: string;
  /** Exact version. */
  readonly tool_version: number;
  /** Names the code that runs it. */
  readonly implementation_id: string;
  /** Digest of the descriptor; its format is checked, its value is the catalog's word. */
  readonly descriptor_sha256: string;
  /** Name shown to the model. */
  readonly model_tool_name: string;
  /** What the model reads about it. */
  readonly description: string;
  /** Schema of the arguments. */
  readonly input_schema: JsonSchema;
  /** Schema of the structured result. */
  readonly output_schema: JsonSchema;
  /** The strongest thing a call may do. */
  readonly side_effect_class: SideEffectClass;
  /** Whether a call may be repeated. */
  readonly idempotency: Idempotency;
  /** Capabilities that a caller must hold. */
  readonly required_capabilities: readonly string[];
  /** Artifacts that a call may produce. */
  readonly produced_artifact_ids: readonly string[];
  /** Time limits, passed through and not read by the compiler. */
  readonly timeout_policy?: ToolTimeoutPolicy;
  /** Size limits, passed through and not read by the compiler. */
  readonly output_policy?: ToolOutputPolicy;
}

/** Answer of an exact lookup: found, well-formed but absent, or not answerable. */
export type CatalogLookup<T> =
  | { readonly classification: 'found'; readonly entry: T }
  | {
      readonly classification: 'missing' | 'invalid';
      /** Reason in at most 128 bytes, such as `unsupported-tool-schema`. */
      readonly errorCode?: string;
      /** Details by key, at most 512 bytes each. */
      readonly evidence?: Readonly<Record<string, string>>;
    };

/** The tools that a harness may name: an immutable snapshot with exact lookups only. */
export interface ToolCatalog {
  /** Identity of the snapshot, 64 lower-case hex digits. */
  readonly snapshotId: string;
  /** Digest of the snapshot's contents. */
  readonly snapshotSha256: string;
  /** The one entry of that id and version; never a range, never the newest. */
  resolveExact(toolId: string, toolVersion: number): CatalogLookup<ToolCatalogEntry>;
}

/** What a plan records of a model profile: its name and nothing else. */
export interface ModelProfileRef {
  /** Dotted id; endpoint and keys never enter a plan. */
  readonly profile_id: string;
}

/** The model profiles that a harness may name: an immutable snapshot with exact lookups only. */
export interface ModelProfileCatalog {
  /** Identity of the snapshot, 64 lower-case hex digits. */
  readonly snapshotId: string;
  /** Digest of the snapshot's contents. */
  readonly snapshotSha256: string;
  /** The profile of that id. */
  resolveExact(profileId: string): CatalogLookup<ModelProfileRef>;
}
