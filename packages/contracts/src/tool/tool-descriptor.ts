import type { JsonSchema } from '../json-schema/schema.ts';

/** What a tool may do to the world, from nothing to network writes. */
export type SideEffectClass =
  | 'read_only'
  | 'artifact_write'
  | 'workspace_write'
  | 'process_execution'
  | 'network_read'
  | 'network_write'
  | 'terminal';

/** Whether performing a call twice is the same as performing it once. */
export type Idempotency = 'idempotent' | 'idempotent_with_key' | 'non_idempotent' | 'unknown';

/** Where a tool comes from; dispatch and name reservations go by this, never by a prefix. */
export type ToolOrigin = 'builtin' | 'pi' | 'connector' | 'custom' | 'forged';

/** How long one call may take, in seconds. */
export interface ToolTimeoutPolicy {
  /** Seconds a call may run, 1 to 86,400. */
  readonly timeout_seconds: number;
  /** Seconds a cancelled call may take to settle before it is killed, 1 to 3,600. */
  readonly cancellation_grace_seconds: number;
}

/** How much of a result is kept. */
export interface ToolOutputPolicy {
  /** Bytes of canonical JSON that the structured result may take, 1 to 67,108,864. */
  readonly max_output_bytes: number;
  /** UTF-8 bytes of the text that the model reads, 1 to 65,536. */
  readonly max_summary_utf8: number;
  /** Whether secret-looking text is replaced in results; traces are always redacted. */
  readonly redact_secrets: boolean;
}

/** What a tool is, exactly: its digest covers every field, only the annotations of the schemas are not in it. */
export interface ToolDescriptor {
  /** Version of this document. */
  readonly schema_version: 1;
  /** Type of this document. */
  readonly kind: 'millforge.tool_descriptor.v1';
  /** Dotted id, at most 160 characters. */
  readonly tool_id: string;
  /** Version, 1 to 2,147,483,647. */
  readonly tool_version: number;
  /** Names the code that runs it; at most 256 bytes. */
  readonly implementation_id: string;
  /** Name shown to the model, `[A-Za-z0-9_-]{1,64}`. */
  readonly model_tool_name: string;
  /** What the model reads about it; at most 4,096 bytes. */
  readonly description: string;
  /** Normalised schema of the arguments with its annotations; an object at its root. */
  readonly input_schema: JsonSchema;
  /** Normalised schema of the structured result with its annotations; an object at its root. */
  readonly output_schema: JsonSchema;
  /** Capabilities that a caller must hold, sorted. */
  readonly required_capabilities: readonly string[];
  /** Artifacts that a call may produce, sorted. */
  readonly produced_artifact_ids: readonly string[];
  /** The strongest thing a call may do. */
  readonly side_effect_class: SideEffectClass;
  /** Whether a call may be repeated. */
  readonly idempotency: Idempotency;
  /** Time limits of one call. */
  readonly timeout_policy: ToolTimeoutPolicy;
  /** Size limits of one result. */
  readonly output_policy: ToolOutputPolicy;
}

/** The four fields by which a plan names a tool exactly. */
export interface ToolBinding {
  /** Dotted id of the tool. */
  readonly tool_id: string;
  /** Exact version. */
  readonly tool_version: number;
  /** Digest of the descriptor. */
  readonly descriptor_sha256: string;
  /** Names the code that runs it. */
  readonly implementation_id: string;
}

/** Every side-effect class, for readers of documents. */
export const SIDE_EFFECT_CLASSES: readonly SideEffectClass[] = [
  'read_only',
  'artifact_write',
  'workspace_write',
  'process_execution',
  'network_read',
  'network_write',
  'terminal',
];

/** Every kind of idempotency, for readers of documents. */
export const IDEMPOTENCIES: readonly Idempotency[] = [
  'idempotent',
  'idempotent_with_key',
  'non_idempotent',
  'unknown',
];

/** Every origin of a tool. */
export const TOOL_ORIGINS: readonly ToolOrigin[] = [
  'builtin',
  'pi',
  'connector',
  'custom',
  'forged',
];
