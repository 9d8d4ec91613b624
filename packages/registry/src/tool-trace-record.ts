import type {
  Idempotency,
  SideEffectCertainty,
  SideEffectClass,
  ToolErrorCode,
  ToolOrigin,
  ToolStatus,
} from '@millforge/contracts';

/** What one call came to, for the trail: one record per call, also for refused ones; always redacted. */
export interface ToolTraceRecord {
  /** Version of this document. */
  readonly schema_version: '1.0';
  /** Type of this document. */
  readonly kind: 'tool_trace';
  /** The run that the call belongs to. */
  readonly run_id: string;
  /** Model turn, from 1. */
  readonly turn: number;
  /** Identifies the call in the run. */
  readonly call_id: string;
  /** Name as the model wrote it, cut to 128 characters. */
  readonly tool_name: string;
  /** Node of the plan; null when the name led to none. */
  readonly node_id: string | null;
  /** How the name was resolved. */
  readonly resolution: 'resolved' | 'ambiguous' | 'uncompiled';
  /** The exact tool of the plan; null when the name led to none. */
  readonly binding: TraceBinding | null;
  /** Where the tool comes from; null when the registry does not hold it. */
  readonly origin: ToolOrigin | null;
  /** Digest of the arguments; null when they were not JSON. */
  readonly input_sha256: string | null;
  /** Prerequisites in plan order, up to the first that was not satisfied. */
  readonly prerequisite_decisions: readonly TraceDecision[];
  /** Capabilities in plan order, up to the first that was not granted. */
  readonly capability_decisions: readonly TraceDecision[];
  /** Who agreed to the call, or did not; null when nobody had to. */
  readonly approval: TraceApproval | null;
  /** How the call ended. */
  readonly status: ToolStatus;
  /** Why it did not succeed; null exactly on success. */
  readonly error_code: ToolErrorCode | null;
  /** The strongest thing that the tool may do. */
  readonly side_effect_class: SideEffectClass;
  /** Whether a call may be repeated. */
  readonly idempotency: Idempotency;
  /** What is known about the effect. */
  readonly certainty: SideEffectCertainty;
  /** Digest of the structured result; null unless the call succeeded. */
  readonly output_sha256: string | null;
  /** The first 64 places in the result that were cut to the tool's limits: `text`, `$.files[3].body`. */
  readonly truncated_paths: readonly string[];
  /** Beginning of the outcome's text, at most 512 bytes. */
  readonly summary: string;
  /** When the act began (ISO 8601, UTC); null for a call that was refused or found out about later. */
  readonly started_at: string | null;
  /** Milliseconds that the act took; null for a call that was refused or found out about later. */
  readonly duration_ms: number | null;
}

/** The exact tool that a call was bound to. */
export type TraceBinding = {
  /** Dotted id of the tool. */
  readonly tool_id: string;
  /** Exact version. */
  readonly tool_version: number;
  /** Digest of the descriptor. */
  readonly descriptor_sha256: string;
  /** Names the code that runs it. */
  readonly implementation_id: string;
};

/** What was said about a call that somebody had to agree to. */
export type TraceApproval = {
  /** Digest of the question; null when the policy of the run answered without one. */
  readonly request_sha256: string | null;
  /** What was decided; `missing` when nobody was asked. */
  readonly decision: 'approved' | 'declined' | 'missing';
  /** Who decided: a person, `policy`, or `nobody`. */
  readonly decided_by: string;
};

/** One thing that had to hold before the call. */
export type TraceDecision = {
  /** Node id, or capability id; several node ids with `|` between them where one is enough. */
  readonly key: string;
  /** Whether it held. */
  readonly decision: 'allowed' | 'denied';
};
