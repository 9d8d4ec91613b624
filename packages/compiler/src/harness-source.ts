import type {
  ContextPolicy,
  PlanBudgets,
  PromptPolicy,
  TerminalArtifacts,
} from '@millforge/contracts';

/** An authored harness, version 1.0, with every default filled in and every mapping form as a list. */
export interface HarnessSource {
  /** Version of this document. */
  readonly schema_version: '1.0';
  /** Type of this document. */
  readonly kind: 'millforge_harness';
  /** Dotted id. */
  readonly harness_id: string;
  /** Version, 1 to 2,147,483,647; raised when the meaning changes. */
  readonly harness_version: number;
  /** Where the harness may be used. */
  readonly stage_scope: StageScope;
  /** Dotted id of the model profile; endpoint and keys are never in a harness. */
  readonly model_profile_id: string;
  /** What the model is told first. */
  readonly prompt: PromptPolicy;
  /** Limits; each one is stated. */
  readonly budgets: PlanBudgets;
  /** How the conversation is kept inside the model's context. */
  readonly context: ContextPolicy;
  /** The steps. */
  readonly graph: HarnessGraph;
  /** Artifacts. */
  readonly artifacts: HarnessArtifacts;
}

/** The stages in which a harness may be used. */
export interface StageScope {
  /** Dotted ids, 1 to 64, unique. */
  readonly stage_kind_ids: readonly string[];
}

/** The steps of a harness. */
export interface HarnessGraph {
  /** 1 to 512 nodes with unique ids, in the order they were written. */
  readonly nodes: readonly HarnessNode[];
}

/** One step: an exact tool and what must have happened before. */
export interface HarnessNode {
  /** Identifies the node: `[a-z][a-z0-9_]{0,63}`. */
  readonly node_id: string;
  /** The tool at an exact version: `docs.notes.search@3`. */
  readonly tool_ref: string;
  /** Whether it must have succeeded before any terminal is accepted. */
  readonly required: boolean;
  /** What must have succeeded before this node; all of them. */
  readonly prerequisites: readonly HarnessPrerequisite[];
  /** Result that ends the run here; null for an ordinary node. */
  readonly terminal_result: string | null;
  /** Artifacts that the node produces. */
  readonly produces: readonly string[];
}

/** An earlier node, and the arguments that tie both calls together. */
export interface HarnessPrerequisite {
  /** The earlier node. */
  readonly node_id: string;
  /** At most 32; one-to-one. */
  readonly argument_matches: readonly HarnessArgumentMatch[];
}

/** This node's argument must equal an argument of the earlier call. */
export interface HarnessArgumentMatch {
  /** Argument of the earlier call. */
  readonly prior_argument: string;
  /** Argument of this call. */
  readonly current_argument: string;
}

/** The artifacts of a harness and who demands them. */
export interface HarnessArtifacts {
  /** All artifacts, at most 512, unique. */
  readonly declared_artifact_ids: readonly string[];
  /** What must exist before each terminal, at most 64. */
  readonly required_by_terminal: readonly TerminalArtifacts[];
}
