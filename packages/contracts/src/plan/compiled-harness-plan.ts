import type { JsonSchema } from '../json-schema/schema.ts';
import type { ModelProfileRef } from '../tool/tool-catalog.ts';
import type { Idempotency, SideEffectClass, ToolBinding } from '../tool/tool-descriptor.ts';
import type { Disposition } from '../trail/run-outcome.ts';
import type { PlanCapabilityConstraint } from './capability-constraints.ts';

/** What is sent to the model before anything else. */
export interface PromptPolicy {
  /** Dotted id. */
  readonly policy_id: string;
  /** System message, verbatim. */
  readonly system_instructions: string;
  /** Whether the first user message also lists run, stage and inputs. */
  readonly include_request_context: boolean;
}

/** How often each kind of thing may happen; a limit of N allows N and fails on N + 1. */
export interface PlanBudgets {
  /** Model turns, corrections included. */
  readonly max_iterations: number;
  /** Consecutive replies without a usable call. */
  readonly max_validation_retries: number;
  /** Consecutive batches with a failing call, or replies with unusable arguments. */
  readonly max_tool_errors: number;
  /** Consecutive batches with an unmet prerequisite. */
  readonly max_prerequisite_violations: number;
  /** Consecutive batches that end before the required steps. */
  readonly max_premature_terminal_attempts: number;
  /** What the run may be observed to use; present exactly in version 1.1. */
  readonly observed_limits?: ObservedLimits;
}

/** Sums over a run, as they are recorded; a run that is over one of them ends. */
export interface ObservedLimits {
  /** Tokens read. */
  readonly input_tokens?: number;
  /** Tokens written. */
  readonly output_tokens?: number;
  /** Cost in millionths of the currency unit. */
  readonly cost_micros?: number;
  /** Tool calls that were performed, those that end the run included. */
  readonly tool_calls?: number;
  /** Milliseconds spent in model turns and tool calls. */
  readonly wall_ms?: number;
}

/** How the conversation is kept inside the model's context. */
export interface ContextPolicy {
  /** The only strategy of this version. */
  readonly strategy_id: 'forge.tiered.v1';
  /** Tokens that the conversation may take. */
  readonly budget_tokens: number;
  /** Latest turns that are never shortened. */
  readonly keep_recent_iterations: number;
  /** Fractions of the budget at which each rung begins; hashed as floating point. */
  readonly phase_thresholds: readonly [number, number, number];
}

/** The current call must repeat an argument of an earlier successful one. */
export interface PlanArgumentMatch {
  /** Argument of the earlier call. */
  readonly prerequisite_argument: string;
  /** Argument of this call. */
  readonly current_argument: string;
}

/** What must have succeeded before a node. */
export interface PlanPrerequisite {
  /** The earlier node. */
  readonly node_id: string;
  /** Arguments that must agree with one and the same earlier success. */
  readonly argument_matches: readonly PlanArgumentMatch[];
}

/** Alternatives, of which one must have succeeded before a node; from version 1.1. */
export interface PlanAlternatives {
  /** 2 to 16, each of another node. */
  readonly any_of: readonly PlanPrerequisite[];
}

/** How often a node is called in one run. */
export interface PlanCallBounds {
  /** Successes that the node needs before it counts as done. */
  readonly min: number;
  /** Calls that may be performed; null for any number. */
  readonly max: number | null;
}

/** One step of the graph: a tool at an exact version, and what it stands on. */
export interface PlanNode {
  /** Identifies the node in the plan. */
  readonly node_id: string;
  /** Name shown to the model; unique in the plan. In version 1.0 that of the tool. */
  readonly model_tool_name: string;
  /** What the model reads about it. */
  readonly description: string;
  /** Normalised schema of the arguments. */
  readonly input_schema: JsonSchema;
  /** The exact tool. */
  readonly binding: ToolBinding;
  /** What must have succeeded before; all of them, and of alternatives one. */
  readonly prerequisites: readonly (PlanPrerequisite | PlanAlternatives)[];
  /** Whether it must succeed before any terminal is accepted. */
  readonly required: boolean;
  /** Results before which it must succeed, sorted; present exactly in version 1.1. */
  readonly required_for?: readonly string[];
  /** How often it is called; present exactly in version 1.1. */
  readonly calls?: PlanCallBounds;
  /** Result that ends the run here; null for an ordinary node. */
  readonly terminal_result: string | null;
  /** What that end means, null for an ordinary node; present exactly in version 1.1. */
  readonly disposition?: Disposition | null;
  /** Capabilities of the tool. */
  readonly required_capabilities: readonly string[];
  /** Artifacts that a call may produce: in version 1.0 those of the tool, later those of the node. */
  readonly produced_artifact_ids: readonly string[];
  /** The strongest thing a call may do. */
  readonly side_effect_class: SideEffectClass;
  /** Whether a call may be repeated. */
  readonly idempotency: Idempotency;
}

/** Artifacts that a terminal demands. */
export interface TerminalArtifacts {
  /** The terminal. */
  readonly terminal_result: string;
  /** Artifacts that must exist before it is accepted. */
  readonly artifact_ids: readonly string[];
}

/** Artifacts of the harness. */
export interface ArtifactPolicy {
  /** All artifacts, sorted. */
  readonly declared_artifact_ids: readonly string[];
  /** What each terminal demands. */
  readonly required_by_terminal: readonly TerminalArtifacts[];
}

/** Who compiled a plan; part of its digest. */
export interface CompilerIdentity {
  /** Product. */
  readonly name: string;
  /** Version of the product. */
  readonly version: string;
  /** Names the lowering. */
  readonly build_id: string;
}

/** A compiled harness: immutable and named by its own digest. */
export interface CompiledHarnessPlan {
  /** Version of this document. */
  readonly schema_version: '1.0' | '1.1';
  /** Type of this document. */
  readonly kind: 'compiled_millforge_harness';
  /** Dotted id of the harness. */
  readonly harness_id: string;
  /** Version of the harness. */
  readonly harness_version: number;
  /** Digest of the meaning: source and resolved tools. */
  readonly source_sha256: string;
  /** Digest of this document without this field. */
  readonly compiled_sha256: string;
  /** Stages in which the harness may be used, sorted. */
  readonly stage_kind_ids: readonly string[];
  /** The model profile it was written for. */
  readonly model_profile: ModelProfileRef;
  /** What the model is told first. */
  readonly prompt_policy: PromptPolicy;
  /** Limits. */
  readonly budgets: PlanBudgets;
  /** How the conversation is kept small. */
  readonly context_policy: ContextPolicy;
  /** The graph, sorted by node id. */
  readonly nodes: readonly PlanNode[];
  /** Union of what the tools need, sorted. */
  readonly required_capabilities: readonly string[];
  /** How far capabilities go, sorted by capability; present exactly in version 1.1. */
  readonly capability_constraints?: readonly PlanCapabilityConstraint[];
  /** Terminal nodes and their results. */
  readonly terminal_result_map: Readonly<Record<string, string>>;
  /** Artifacts. */
  readonly artifact_policy: ArtifactPolicy;
  /** Who compiled it. */
  readonly compiler_identity: CompilerIdentity;
}
