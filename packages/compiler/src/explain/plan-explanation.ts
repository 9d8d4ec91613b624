import type {
  CapabilityConstraints,
  Disposition,
  Idempotency,
  PlanCallBounds,
  SideEffectClass,
} from '@millforge/contracts';

/** What a plan means, as a document: everything that follows from it, and no text of prompts and schemas. */
export interface PlanExplanation {
  /** Type of this document. */
  readonly kind: 'plan_explanation';
  /** Version of this document. */
  readonly schema_version: '1.0';
  /** Dotted id of the harness. */
  readonly harness_id: string;
  /** Version of the harness. */
  readonly harness_version: number;
  /** Version of the plan. */
  readonly plan_schema_version: string;
  /** Digest of the plan. */
  readonly compiled_sha256: string;
  /** The model profile that it was written for. */
  readonly model_profile_id: string;
  /** Stages in which it may be used. */
  readonly stage_kind_ids: readonly string[];
  /** The strongest thing that any step may do. */
  readonly strongest_side_effect: SideEffectClass;
  /** What the model is told first, by its digest. */
  readonly prompt: ExplainedPrompt;
  /** The steps, sorted by id. */
  readonly steps: readonly ExplainedStep[];
  /** The ends of a run, sorted by result. */
  readonly ends: readonly ExplainedEnd[];
  /** The artifacts, sorted by id. */
  readonly artifacts: readonly ExplainedArtifact[];
  /** The limits, and what each of them ends. */
  readonly budgets: readonly ExplainedBudget[];
  /** The capabilities that a run needs, sorted by id. */
  readonly capabilities: readonly ExplainedCapability[];
}

/** The first message. */
export interface ExplainedPrompt {
  /** Dotted id of the policy. */
  readonly policy_id: string;
  /** SHA-256 of the instructions. */
  readonly system_instructions_sha256: string;
  /** UTF-8 bytes of the instructions. */
  readonly system_instructions_bytes: number;
  /** Whether the model also reads about run, stage and inputs. */
  readonly include_request_context: boolean;
}

/** One step. */
export interface ExplainedStep {
  /** The node. */
  readonly node_id: string;
  /** The tool at its exact version. */
  readonly tool: string;
  /** Name that the model calls. */
  readonly model_tool_name: string;
  /** The strongest thing that a call may do. */
  readonly side_effect_class: SideEffectClass;
  /** Whether a call may be repeated. */
  readonly idempotency: Idempotency;
  /** Capabilities of the tool. */
  readonly required_capabilities: readonly string[];
  /** Artifacts that a call may produce. */
  readonly produced_artifact_ids: readonly string[];
  /** Result that ends the run here; null for an ordinary step. */
  readonly terminal_result: string | null;
  /** What must have succeeded before: of each item one of its nodes. */
  readonly waits_for: readonly ExplainedWait[];
  /** What has certainly succeeded when it is called. */
  readonly comes_after: readonly string[];
  /** Results that are not accepted before it has succeeded. */
  readonly gates: readonly string[];
  /** How often it is called. */
  readonly calls: PlanCallBounds;
}

/** One prerequisite. */
export interface ExplainedWait {
  /** The nodes of which one must have succeeded; a single one without alternatives. */
  readonly any_of: readonly ExplainedAlternative[];
}

/** One node that fulfils a prerequisite. */
export interface ExplainedAlternative {
  /** The earlier node. */
  readonly node_id: string;
  /** Arguments that must agree, as `earlier = current`. */
  readonly equal_arguments: readonly string[];
}

/** One way in which a run ends. */
export interface ExplainedEnd {
  /** The result. */
  readonly terminal_result: string;
  /** Its node. */
  readonly node_id: string;
  /** What it means for the caller. */
  readonly disposition: Disposition;
  /** Whether the plan says so, or its names let it be inferred. */
  readonly is_disposition_stated: boolean;
  /** Nodes that are required for it. */
  readonly required_node_ids: readonly string[];
  /** All that has certainly succeeded by then. */
  readonly comes_after: readonly string[];
  /** What must exist by then, and why it does. */
  readonly demands: readonly ExplainedDemand[];
}

/** An artifact that an end demands. */
export interface ExplainedDemand {
  /** The artifact. */
  readonly artifact_id: string;
  /** Producers that have certainly succeeded by then. */
  readonly gated_by: readonly string[];
}

/** One artifact. */
export interface ExplainedArtifact {
  /** The artifact. */
  readonly artifact_id: string;
  /** Nodes that may produce it. */
  readonly producer_node_ids: readonly string[];
  /** Results that demand it. */
  readonly demanded_by: readonly string[];
}

/** One limit. */
export interface ExplainedBudget {
  /** Name of the limit. */
  readonly budget: string;
  /** How much is allowed. */
  readonly limit: number;
  /** What is counted. */
  readonly counts: string;
  /** Failure class of a run that goes past it. */
  readonly ends_with: string;
}

/** One capability. */
export interface ExplainedCapability {
  /** The capability. */
  readonly capability_id: string;
  /** Nodes whose tools need it. */
  readonly needed_by: readonly string[];
  /** How far it goes; null where the plan does not bound it. */
  readonly constraints: CapabilityConstraints | null;
}
