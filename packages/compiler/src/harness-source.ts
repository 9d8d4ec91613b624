import type {
  ContextPolicy,
  Disposition,
  PlanBudgets,
  PlanCapabilityConstraint,
  PromptPolicy,
  TerminalArtifacts,
} from '@millforge/contracts';

/**
 * An authored harness, with the defaults of version 1.0 filled in and every mapping form as a list.
 *
 * Optional fields are of version 1.1 and stand only where they were written.
 */
export interface HarnessSource {
  /** Version of this document; it decides what may be written and the version of the plan. */
  readonly schema_version: '1.0' | '1.1';
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
  /** How far the capabilities of the tools go. */
  readonly capability_constraints?: readonly PlanCapabilityConstraint[];
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
  /** Name shown to the model, `[A-Za-z0-9_-]{1,64}`; default that of the tool. */
  readonly model_tool_name?: string;
  /** Whether it must have succeeded before any terminal is accepted. */
  readonly required: boolean;
  /** Terminal results before which it must have succeeded, at most 64, unique. */
  readonly required_for?: readonly string[];
  /** How often it is called in one run; default any number of calls, of which one must succeed. */
  readonly calls?: HarnessCallBounds;
  /** What must have succeeded before this node; all of them, and of alternatives one. */
  readonly prerequisites: readonly (HarnessPrerequisite | HarnessAlternatives)[];
  /** Result that ends the run here; null for an ordinary node. */
  readonly terminal_result: string | null;
  /** What that end means; default by the tool and the result. */
  readonly disposition?: Disposition;
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

/** Earlier nodes of which one is enough. */
export interface HarnessAlternatives {
  /** 2 to 16, each of another node. */
  readonly any_of: readonly HarnessPrerequisite[];
}

/** How often a node is called in one run; each from 1 to 10,000. */
export interface HarnessCallBounds {
  /** Successes that the node needs before it counts for what requires it; default 1. */
  readonly min?: number;
  /** Calls that may be performed; default any number. */
  readonly max?: number;
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
