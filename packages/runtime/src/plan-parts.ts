import {
  type CompiledHarnessPlan,
  deepFreeze,
  type JsonValue,
  type ModelTool,
  type PlanNode,
  toPlainJson,
} from '@millforge/contracts';
import type { GuardPolicy } from '@millforge/guard';
import { createStepGate, type StepGate } from '@millforge/guard/steps';
import { estimateTools } from './context/estimate-tokens.ts';
import { type AdmittedOutputs, withCandidate } from './output/admit-outputs.ts';

/** What all runs of a plan have in common that ask for the same structured results. */
export interface PlanParts {
  /** The tools on offer. */
  readonly tools: readonly ModelTool[];
  /** The same, as they are recorded. */
  readonly toolsJson: JsonValue;
  /** Estimated tokens of them. */
  readonly toolTokens: number;
  /** The nodes by the names that the model calls. */
  readonly nodes: ReadonlyMap<string, PlanNode>;
  readonly gate: StepGate;
  readonly policy: GuardPolicy;
}

/** Derives what runs need from a verified plan; kept as long as the plan is where nothing else is asked for. */
export function planParts(plan: CompiledHarnessPlan, outputs: AdmittedOutputs): PlanParts {
  if (outputs.size > 0) return derive(plan, outputs);
  const known = KEPT.get(plan);
  if (known !== undefined) return known;
  const parts = derive(plan, outputs);
  KEPT.set(plan, parts);
  return parts;
}

function derive(plan: CompiledHarnessPlan, outputs: AdmittedOutputs): PlanParts {
  // Frozen, for they are handed to model clients, and other runs get the same ones.
  const tools = deepFreeze(
    plan.nodes.map((node) => ({
      name: node.model_tool_name,
      description: node.description,
      parameters: withCandidate(node, outputs),
    })),
  );
  const toolsJson = tools.map(({ name, description, parameters }) => ({
    name,
    description,
    parameters: toPlainJson(parameters),
  }));
  return {
    tools,
    toolsJson: deepFreeze(toolsJson),
    toolTokens: estimateTools(tools),
    nodes: new Map(plan.nodes.map((node) => [node.model_tool_name, node])),
    gate: createStepGate(plan.nodes),
    policy: policyOf(plan),
  };
}

function policyOf({ budgets, nodes }: CompiledHarnessPlan): GuardPolicy {
  return {
    mode: 'strict',
    budgets: {
      validation_retries: budgets.max_validation_retries,
      tool_errors: budgets.max_tool_errors,
      prerequisite_violations: budgets.max_prerequisite_violations,
      premature_terminals: budgets.max_premature_terminal_attempts,
    },
    terminals: nodes
      .filter((node) => node.terminal_result !== null)
      .map((node) => node.model_tool_name),
  };
}

const KEPT = new WeakMap<CompiledHarnessPlan, PlanParts>();
