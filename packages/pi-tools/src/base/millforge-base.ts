import type { JsonObject } from '@millforge/contracts';
import { assemblePrompt } from './assemble-prompt.ts';
import { BASE_IDENTITY } from './base-identity.ts';
import { type BaseTerminal, chooseTerminals } from './base-terminals.ts';

/** What the base harness is made for. */
export interface BaseHarnessOptions {
  /** Dotted id of the model profile. */
  readonly modelProfileId: string;
  /** System prompt, as `assemblePrompt` makes it; default the built-in one. */
  readonly systemInstructions?: string;
  /** How a run may end; default COMPLETE, BLOCKED, REJECTED. */
  readonly terminals?: readonly BaseTerminal[];
}

/**
 * Makes the source of millforge-base: the seven Pi-compatible tools in any order, and the terminals.
 *
 * It is an ordinary harness source of version 1.1 for the ordinary compiler. It is unrestricted and not
 * sandboxed: a run of it can do whatever the user of the process can, and needs `BASE_GRANTS`.
 *
 * @throws `pi-tools/invalid-option` for terminals that are none.
 */
export function millforgeBase(options: BaseHarnessOptions): JsonObject {
  const terminals = chooseTerminals(options.terminals);
  const nodes: Record<string, JsonObject> = {};
  for (const name of TOOL_NAMES) nodes[name] = { tool_ref: `builtin.pi_compat.${name}@1` };
  for (const { name, idEnd, result, disposition } of terminals) {
    nodes[name] = {
      tool_ref: `builtin.pi_compat.${idEnd}@1`,
      terminal_result: result,
      disposition,
    };
  }
  return {
    schema_version: '1.1',
    kind: 'millforge_harness',
    harness_id: BASE_IDENTITY.harnessId,
    harness_version: BASE_IDENTITY.harnessVersion,
    stage_scope: { stage_kind_ids: [BASE_IDENTITY.stageKindId] },
    model_profile_id: options.modelProfileId,
    prompt: {
      policy_id: BASE_IDENTITY.promptPolicyId,
      system_instructions:
        options.systemInstructions ?? assemblePrompt({ terminals }).system_instructions,
      include_request_context: true,
    },
    budgets: {
      max_iterations: 100,
      max_validation_retries: 4,
      max_tool_errors: 16,
      max_prerequisite_violations: 16,
      max_premature_terminal_attempts: 8,
    },
    context: {
      strategy_id: 'forge.tiered.v1',
      budget_tokens: 32_768,
      keep_recent_iterations: 4,
      phase_thresholds: [0.6, 0.75, 0.9],
    },
    graph: { nodes },
    artifacts: { declared_artifact_ids: [], required_by_terminal: [] },
  };
}

const TOOL_NAMES = ['read', 'bash', 'edit', 'write', 'grep', 'find', 'ls'] as const;
