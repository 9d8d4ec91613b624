import { canonicalJson, type JsonValue, MillforgeError } from '@millforge/contracts';
import { createStepCounts, type StepCount, type StepCounts } from './step-counts.ts';
import type { UnmetPrerequisite, UnmetStep } from './step-nudge-text.ts';

/** What the gate needs to know of one node; a node of a compiled plan is one. */
export interface StepNode {
  /** Identifies the node. */
  readonly node_id: string;
  /** The name that the model calls. */
  readonly model_tool_name: string;
  /** Whether it must succeed before any terminal is accepted. */
  readonly required: boolean;
  /** Results before which it must succeed; default none. */
  readonly required_for?: readonly string[];
  /** How often it is called in one run; default any number of calls, of which one must succeed. */
  readonly calls?: {
    /** Successes that the node needs before it counts as done. */
    readonly min: number;
    /** Calls that may be performed; null for any number. */
    readonly max: number | null;
  };
  /** Result that ends the run here; null for an ordinary node. */
  readonly terminal_result: string | null;
  /** What must have succeeded before; all of them, and of alternatives one. */
  readonly prerequisites: readonly (StepPrerequisite | StepAlternatives)[];
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

/** What may have succeeded before a node, each as good as the others. */
export interface StepAlternatives {
  /** The alternatives. */
  readonly any_of: readonly StepPrerequisite[];
}

/** What has happened so far; plain, frozen, kept outside the conversation. */
export interface StepState {
  /** Nodes that have succeeded. */
  readonly succeeded: readonly string[];
  /** For each rule that compares arguments, the distinct arguments of earlier successes. */
  readonly evidence: readonly (readonly string[])[];
  /** For each node whose calls are bounded, how often it was performed and how often it succeeded. */
  readonly counts: readonly StepCount[];
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
    /** Names of the tools that are not done, with the number of successes that lack when it is not one. */
    readonly pending: readonly string[];
  } | null;
  /** One verdict per call, in order. */
  readonly calls: readonly CallVerdict[];
}

/** What the gate says to one call. */
export interface CallVerdict {
  /** Prerequisites that are missing; empty when the call may pass as far as they go. */
  readonly unmet: readonly UnmetPrerequisite[];
  /** Calls that the node may make in a run when they are used up, or null. */
  readonly spent: number | null;
  /** Every prerequisite of the node, alternatives one by one, in order, and whether it holds. */
  readonly decisions: readonly {
    /** The earlier node. */
    readonly node_id: string;
    /** Whether it succeeded, with the arguments that must agree. */
    readonly satisfied: boolean;
  }[];
}

/** Knows the order of a plan; its state is handed in and out. */
export interface StepGate {
  /** The state in which nothing has happened. */
  readonly initial: StepState;
  /** Judges calls against what had succeeded before them; changes nothing. */
  check(state: StepState, calls: readonly StepCall[]): StepVerdict;
  /** The state after a performed call of that node, whatever came of it; comes before `record`. */
  recordCall(state: StepState, nodeId: string): StepState;
  /** The state after a success of that node with those arguments. */
  record(state: StepState, nodeId: string, args: unknown): StepState;
}

/**
 * Makes the gate of a plan: required steps before terminals, prerequisites before calls, bounds of calls.
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
  const counts = createStepCounts(nodes);
  const toStep = (prerequisite: StepPrerequisite): UnmetStep => ({
    tool: find(prerequisite.node_id).model_tool_name,
    matching: prerequisite.argument_matches.map((match) => ({
      earlier: match.prerequisite_argument,
      current: match.current_argument,
    })),
  });
  const judge = (node: StepNode, seen: Seen): CallVerdict => {
    const max = node.calls?.max ?? null;
    if (node.prerequisites.length === 0 && max === null) return MAY_PASS;
    const judged = node.prerequisites.map((one) =>
      alternativesOf(one).map((prerequisite) => ({
        prerequisite,
        satisfied: isMet(prerequisite, seen),
      })),
    );
    const unmet = judged.filter((group) => !group.some(({ satisfied }) => satisfied));
    const performed = counts.of(seen.state.counts, node.node_id)?.performed ?? 0;
    return {
      unmet: unmet.map((group): UnmetPrerequisite => {
        const steps = group.map(({ prerequisite }) => toStep(prerequisite));
        const [step] = steps;
        return step !== undefined && steps.length === 1 ? step : { anyOf: steps };
      }),
      spent: max !== null && performed >= max ? max : null,
      decisions: judged.flat().map(({ prerequisite, satisfied }) => ({
        node_id: prerequisite.node_id,
        satisfied,
      })),
    };
  };
  return {
    initial: Object.freeze({
      succeeded: Object.freeze([]),
      evidence: Object.freeze(rules.map(() => Object.freeze([]))),
      counts: counts.initial,
    }),
    check(state, calls) {
      const verdicts: CallVerdict[] = [];
      let premature: StepVerdict['premature'] = null;
      for (const { nodeId, arguments: args } of calls) {
        const node = find(nodeId);
        if (node.terminal_result !== null) {
          premature ??= findPremature(node, { nodes, state, counts });
        }
        verdicts.push(judge(node, { state, rules, args }));
      }
      return { premature, calls: verdicts };
    },
    recordCall(state, nodeId) {
      find(nodeId);
      return counted(state, counts.add(state.counts, nodeId, 'performed'));
    },
    record(before, nodeId, args) {
      find(nodeId);
      const state = counted(before, counts.add(before.counts, nodeId, 'succeeded'));
      const isNew = !state.succeeded.includes(nodeId);
      if (!isNew && rules.length === 0) return state;
      const evidence = state.evidence.map((known, index) => {
        const rule = rules[index];
        if (rule === undefined || rule.nodeId !== nodeId) return known;
        const key = evidenceOf(args, rule.names);
        return key === null || known.includes(key) ? known : Object.freeze([...known, key]);
      });
      if (!isNew && evidence.every((known, index) => known === state.evidence[index])) return state;
      return Object.freeze({
        ...state,
        succeeded: isNew ? Object.freeze([...state.succeeded, nodeId]) : state.succeeded,
        evidence: Object.freeze(evidence),
      });
    },
  };
}

/** The same state when nothing had to be counted. */
function counted(state: StepState, counts: StepState['counts']): StepState {
  return counts === state.counts ? state : Object.freeze({ ...state, counts });
}

function findPremature(
  terminal: StepNode,
  run: {
    readonly nodes: readonly StepNode[];
    readonly state: StepState;
    readonly counts: StepCounts;
  },
): StepVerdict['premature'] {
  const pending = run.nodes.flatMap((node) => {
    if (!isRequiredBefore(node, terminal)) return [];
    const left = successesLeft(node, run);
    const name = node.model_tool_name;
    if (left <= 0) return [];
    return [left === 1 ? name : `${name} (${left} more times)`];
  });
  return pending.length === 0 ? null : { terminal: terminal.model_tool_name, pending };
}

function successesLeft(
  node: StepNode,
  { state, counts }: { readonly state: StepState; readonly counts: StepCounts },
): number {
  const count = counts.of(state.counts, node.node_id);
  if (count !== null) return (node.calls?.min ?? 1) - count.succeeded;
  return state.succeeded.includes(node.node_id) ? 0 : 1;
}

function isRequiredBefore(node: StepNode, { terminal_result }: StepNode): boolean {
  if (node.required) return true;
  return terminal_result !== null && node.required_for?.includes(terminal_result) === true;
}

function alternativesOf(one: StepPrerequisite | StepAlternatives): readonly StepPrerequisite[] {
  return 'any_of' in one ? one.any_of : [one];
}

/** Arguments of one node's successes that some prerequisite compares. */
interface Rule {
  readonly nodeId: string;
  readonly names: readonly string[];
}

/** One rule for each node and list of compared arguments, whoever compares them. */
function collectRules(nodes: readonly StepNode[]): readonly Rule[] {
  const rules: Rule[] = [];
  for (const prerequisite of nodes.flatMap((node) => node.prerequisites).flatMap(alternativesOf)) {
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

/** What a call is judged by. */
interface Seen {
  readonly state: StepState;
  readonly rules: readonly Rule[];
  readonly args: unknown;
}

/** Of a node that stands for itself and may be called any number of times. */
const MAY_PASS: CallVerdict = Object.freeze({
  unmet: Object.freeze([]),
  spent: null,
  decisions: Object.freeze([]),
});

function isMet(prerequisite: StepPrerequisite, seen: Seen): boolean {
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
