import { canonicalJson, type JsonValue, MillforgeError } from '@millforge/contracts';
import type { UnmetPrerequisite } from './nudge-text.ts';

/** What the gate needs to know of one node; a node of a compiled plan is one. */
export interface StepNode {
  /** Identifies the node. */
  readonly node_id: string;
  /** The name that the model calls. */
  readonly model_tool_name: string;
  /** Whether it must succeed before any terminal is accepted. */
  readonly required: boolean;
  /** Result that ends the run here; null for an ordinary node. */
  readonly terminal_result: string | null;
  /** What must have succeeded before. */
  readonly prerequisites: readonly StepPrerequisite[];
}

/** What must have succeeded before a node. */
export interface StepPrerequisite {
  /** The earlier node. */
  readonly node_id: string;
  /** Arguments that must agree with one and the same earlier success. */
  readonly argument_matches: readonly {
    /** Name of the argument of the earlier call. */
    readonly prerequisite_argument: string;
    /** Name of the argument of this call. */
    readonly current_argument: string;
  }[];
}

/** What has succeeded so far; plain, frozen, kept outside the conversation. */
export interface StepState {
  /** Nodes that have succeeded. */
  readonly succeeded: readonly string[];
  /** For each rule that compares arguments, the distinct arguments of earlier successes. */
  readonly evidence: readonly (readonly string[])[];
}

/** A call that asks to pass. */
export interface StepCall {
  /** Its node. */
  readonly nodeId: string;
  /** Its arguments; anything but an object has none. */
  readonly arguments: unknown;
}

/** What the gate says to the calls of one reply. */
export interface StepVerdict {
  /** Set when a call would end the run before its required steps; then no call of the reply passes. */
  readonly premature: {
    /** Name of the terminal tool. */
    readonly terminal: string;
    /** Names of the required tools that have not succeeded. */
    readonly pending: readonly string[];
  } | null;
  /** One verdict per call, in order. */
  readonly calls: readonly CallVerdict[];
}

/** What the gate says to one call. */
export interface CallVerdict {
  /** Prerequisites that are missing; empty when the call may pass. */
  readonly unmet: readonly UnmetPrerequisite[];
  /** Every prerequisite of the node, in order, and whether it holds. */
  readonly decisions: readonly {
    /** The earlier node. */
    readonly node_id: string;
    /** Whether it succeeded, with the arguments that must agree. */
    readonly satisfied: boolean;
  }[];
}

/** Knows the order of a plan; its state is handed in and out. */
export interface StepGate {
  /** The state in which nothing has succeeded. */
  readonly initial: StepState;
  /** Judges calls against what had succeeded before them; changes nothing. */
  check(state: StepState, calls: readonly StepCall[]): StepVerdict;
  /** The state after a success of that node with those arguments. */
  record(state: StepState, nodeId: string, args: unknown): StepState;
}

/**
 * Makes the gate of a plan: required steps before terminals, prerequisites before calls.
 *
 * A prerequisite holds when *any* earlier success of its node agrees in all its arguments. Values agree
 * when they are deeply equal; an absent argument agrees with nothing, not even with another absent one.
 *
 * @throws `guard/unknown-node` when a node or a call names a node that is not there.
 */
export function createStepGate(nodes: readonly StepNode[]): StepGate {
  const byId = new Map(nodes.map((node) => [node.node_id, node]));
  const find = (nodeId: string): StepNode => {
    const node = byId.get(nodeId);
    if (node !== undefined) return node;
    throw new MillforgeError(
      'guard/unknown-node',
      'The step gate was asked about an unknown node.',
      {
        details: { node_id: nodeId },
      },
    );
  };
  const rules = collectRules(nodes);
  for (const { nodeId } of rules) find(nodeId);
  const required = nodes.filter((node) => node.required);
  return {
    initial: Object.freeze({
      succeeded: Object.freeze([]),
      evidence: Object.freeze(rules.map(() => Object.freeze([]))),
    }),
    check(state, calls) {
      const asked = calls.map((call) => ({ node: find(call.nodeId), args: call.arguments }));
      const terminal = asked.find(({ node }) => node.terminal_result !== null)?.node;
      return {
        premature: terminal === undefined ? null : findPremature(terminal, required, state),
        calls: asked.map(({ node, args }) => {
          const decisions = node.prerequisites.map((prerequisite) => ({
            node_id: prerequisite.node_id,
            satisfied: isMet(prerequisite, { state, rules, args }),
          }));
          const unmet = node.prerequisites.filter((_one, index) => !decisions[index]?.satisfied);
          return {
            unmet: unmet.map((prerequisite) => ({
              tool: find(prerequisite.node_id).model_tool_name,
              matching: prerequisite.argument_matches.map((match) => ({
                earlier: match.prerequisite_argument,
                current: match.current_argument,
              })),
            })),
            decisions,
          };
        }),
      };
    },
    record(state, nodeId, args) {
      find(nodeId);
      const evidence = state.evidence.map((known, index) => {
        const rule = rules[index];
        if (rule === undefined || rule.nodeId !== nodeId) return known;
        const key = evidenceOf(args, rule.names);
        return key === null || known.includes(key) ? known : Object.freeze([...known, key]);
      });
      const isNew = !state.succeeded.includes(nodeId);
      if (!isNew && evidence.every((known, index) => known === state.evidence[index])) return state;
      return Object.freeze({
        succeeded: isNew ? Object.freeze([...state.succeeded, nodeId]) : state.succeeded,
        evidence: Object.freeze(evidence),
      });
    },
  };
}

function findPremature(
  terminal: StepNode,
  required: readonly StepNode[],
  state: StepState,
): StepVerdict['premature'] {
  const pending = required.filter((node) => !state.succeeded.includes(node.node_id));
  if (pending.length === 0) return null;
  return {
    terminal: terminal.model_tool_name,
    pending: pending.map((node) => node.model_tool_name),
  };
}

/** Arguments of one node's successes that some prerequisite compares. */
interface Rule {
  readonly nodeId: string;
  readonly names: readonly string[];
}

/** One rule for each node and list of compared arguments, whoever compares them. */
function collectRules(nodes: readonly StepNode[]): readonly Rule[] {
  const rules: Rule[] = [];
  for (const prerequisite of nodes.flatMap((node) => node.prerequisites)) {
    if (prerequisite.argument_matches.length > 0 && ruleOf(prerequisite, rules) < 0) {
      rules.push({
        nodeId: prerequisite.node_id,
        names: prerequisite.argument_matches.map((match) => match.prerequisite_argument),
      });
    }
  }
  return rules;
}

function ruleOf(prerequisite: StepPrerequisite, rules: readonly Rule[]): number {
  const { node_id, argument_matches } = prerequisite;
  return rules.findIndex(
    ({ nodeId, names }) =>
      nodeId === node_id &&
      names.length === argument_matches.length &&
      names.every((name, index) => name === argument_matches[index]?.prerequisite_argument),
  );
}

function isMet(
  prerequisite: StepPrerequisite,
  seen: { readonly state: StepState; readonly rules: readonly Rule[]; readonly args: unknown },
): boolean {
  if (prerequisite.argument_matches.length === 0) {
    return seen.state.succeeded.includes(prerequisite.node_id);
  }
  const names = prerequisite.argument_matches.map((match) => match.current_argument);
  const key = evidenceOf(seen.args, names);
  const known = seen.state.evidence[ruleOf(prerequisite, seen.rules)];
  return key !== null && known !== undefined && known.includes(key);
}

/** One text for the named arguments, equal for deeply equal values; null when one is absent. */
function evidenceOf(args: unknown, names: readonly string[]): string | null {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return null;
  const byName = new Map<string, JsonValue>(Object.entries(args));
  const values: JsonValue[] = [];
  for (const name of names) {
    const value = byName.get(name);
    if (value === undefined) return null;
    values.push(value);
  }
  try {
    return canonicalJson(values, { newline: false });
  } catch (error) {
    // A value that is not JSON agrees with nothing; it cannot come from a model's reply.
    if (MillforgeError.is(error)) return null;
    throw error;
  }
}
