import {
  type CompiledHarnessPlan,
  canonicalJson,
  formatToolReference,
  type Idempotency,
  type PlanNode,
  type SideEffectClass,
  withoutAnnotations,
} from '@millforge/contracts';
import { sideEffectRank } from '../explain/side-effect-rank.ts';
import { changesOfPrerequisites } from './changes-of-prerequisites.ts';
import { addedTo, removedFrom } from './compare-lists.ts';
import type { ChangeRisk, ChangeValue, PlanChange } from './plan-diff.ts';

/** Finds what differs between the steps of two plans; a step is the same one while it keeps its id. */
export function changesOfNodes(
  before: CompiledHarnessPlan,
  after: CompiledHarnessPlan,
): readonly PlanChange[] {
  const was = new Map(before.nodes.map((node) => [node.node_id, node]));
  const is = new Map(after.nodes.map((node) => [node.node_id, node]));
  return [
    ...after.nodes.filter(({ node_id }) => !was.has(node_id)).map(addedNode),
    ...before.nodes.filter(({ node_id }) => !is.has(node_id)).map(removedNode),
    ...after.nodes.flatMap((node) => {
      const old = was.get(node.node_id);
      return old === undefined ? [] : changesOfNode(old, node);
    }),
  ];
}

function addedNode(node: PlanNode): PlanChange {
  return {
    change: 'node-added',
    risk: RISK_OF_EFFECT[node.side_effect_class],
    path: `/nodes/${node.node_id}`,
    message: `The step ${node.node_id} is new: ${toolOf(node)}, which is ${node.side_effect_class}.`,
    before: null,
    after: toolOf(node),
  };
}

/** That an end no longer waits for it is a change of that end's gate. */
function removedNode(node: PlanNode): PlanChange {
  return {
    change: 'node-removed',
    risk: 'none',
    path: `/nodes/${node.node_id}`,
    message: `The step ${node.node_id} is gone: ${toolOf(node)}.`,
    before: toolOf(node),
    after: null,
  };
}

const RISK_OF_EFFECT: { readonly [Effect in SideEffectClass]: ChangeRisk } = {
  read_only: 'low',
  terminal: 'medium',
  artifact_write: 'low',
  network_read: 'medium',
  workspace_write: 'medium',
  process_execution: 'high',
  network_write: 'high',
};

/** One field that may differ: how it is told, and what it means if it does. */
interface Difference {
  readonly field: string;
  readonly change: string;
  readonly risk: ChangeRisk;
  readonly values: readonly [before: ChangeValue, after: ChangeValue];
  readonly message: string;
}

function changesOfNode(before: PlanNode, after: PlanNode): readonly PlanChange[] {
  const differences = [
    ...toolDifferences(before, after),
    ...effectDifferences(before, after),
    ...modelDifferences(before, after),
    ...obligationDifferences(before, after),
    ...callDifferences(before, after),
    ...listDifferences(before, after),
  ];
  const changes = differences.map(({ field, change, risk, values, message }) => ({
    change,
    risk,
    path: `/nodes/${after.node_id}/${field}`,
    message: `The step ${after.node_id} ${message}.`,
    before: values[0],
    after: values[1],
  }));
  return [...changes, ...changesOfPrerequisites(before, after)];
}

function toolDifferences(before: PlanNode, after: PlanNode): readonly Difference[] {
  const [was, is] = [toolOf(before), toolOf(after)];
  if (was !== is) {
    const message = `uses ${is} instead of ${was}`;
    return [
      { field: 'binding', change: 'tool-changed', risk: 'medium', values: [was, is], message },
    ];
  }
  if (contentOf(before).join(' ') === contentOf(after).join(' ')) return [];
  return [
    {
      field: 'binding',
      change: 'tool-content-changed',
      risk: 'medium',
      values: [contentOf(before), contentOf(after)],
      message: `uses ${is} with another descriptor or implementation under the same version`,
    },
  ];
}

function effectDifferences(before: PlanNode, after: PlanNode): readonly Difference[] {
  const found: Difference[] = [];
  const effects = [before.side_effect_class, after.side_effect_class] as const;
  if (effects[0] !== effects[1]) {
    const isStronger = sideEffectRank(effects[1]) > sideEffectRank(effects[0]);
    found.push({
      field: 'side_effect_class',
      change: isStronger ? 'side-effect-stronger' : 'side-effect-weaker',
      risk: isStronger ? 'high' : 'none',
      values: effects,
      message: `is ${effects[1]}, it was ${effects[0]}`,
    });
  }
  const repeats = [before.idempotency, after.idempotency] as const;
  if (repeats[0] !== repeats[1]) {
    const isWeaker = REPEATABLE.indexOf(repeats[1]) > REPEATABLE.indexOf(repeats[0]);
    found.push({
      field: 'idempotency',
      change: 'idempotency-changed',
      risk: isWeaker ? 'medium' : 'none',
      values: repeats,
      message: `is ${repeats[1]}, it was ${repeats[0]}`,
    });
  }
  return found;
}

const REPEATABLE: readonly Idempotency[] = [
  'idempotent',
  'idempotent_with_key',
  'non_idempotent',
  'unknown',
];

function modelDifferences(before: PlanNode, after: PlanNode): readonly Difference[] {
  const found: Difference[] = [];
  if (before.model_tool_name !== after.model_tool_name) {
    found.push({
      field: 'model_tool_name',
      change: 'model-tool-name-changed',
      risk: 'low',
      values: [before.model_tool_name, after.model_tool_name],
      message: `is called ${after.model_tool_name} by the model, it was ${before.model_tool_name}`,
    });
  }
  if (before.description !== after.description) {
    const message = 'is described to the model in other words';
    const values = [null, null] as const;
    found.push({
      field: 'description',
      change: 'description-changed',
      risk: 'low',
      values,
      message,
    });
  }
  const isSameForm =
    canonicalJson(withoutAnnotations(before.input_schema)) ===
    canonicalJson(withoutAnnotations(after.input_schema));
  if (isSameForm && canonicalJson(before.input_schema) !== canonicalJson(after.input_schema)) {
    const message = 'describes its arguments in other words';
    const values = [null, null] as const;
    found.push({
      field: 'input_schema',
      change: 'schema-annotations-changed',
      risk: 'low',
      values,
      message,
    });
  }
  if (!isSameForm) {
    const message = 'takes other arguments';
    const values = [null, null] as const;
    found.push({
      field: 'input_schema',
      change: 'schema-changed',
      risk: 'medium',
      values,
      message,
    });
  }
  return found;
}

function obligationDifferences(before: PlanNode, after: PlanNode): readonly Difference[] {
  const found: Difference[] = [];
  if (before.required !== after.required) {
    found.push({
      field: 'required',
      change: after.required ? 'obligation-added' : 'obligation-removed',
      risk: after.required ? 'none' : 'high',
      values: [before.required, after.required],
      message: after.required
        ? 'is required before every end'
        : 'is no longer required before every end',
    });
  }
  const [was, is] = [before.required_for ?? [], after.required_for ?? []];
  for (const result of removedFrom(was, is)) {
    const message = `is no longer required before ${result}`;
    const risk = after.required ? 'none' : 'high';
    found.push({
      field: 'required_for',
      change: 'obligation-removed',
      risk,
      values: [result, null],
      message,
    });
  }
  for (const result of addedTo(was, is)) {
    const message = `is required before ${result}`;
    found.push({
      field: 'required_for',
      change: 'obligation-added',
      risk: 'none',
      values: [null, result],
      message,
    });
  }
  if (before.terminal_result !== after.terminal_result) {
    found.push({
      field: 'terminal_result',
      change: 'terminal-result-changed',
      risk: 'high',
      values: [before.terminal_result, after.terminal_result],
      message: `ends the run with ${after.terminal_result ?? 'nothing'}, it was ${before.terminal_result ?? 'nothing'}`,
    });
  }
  return found;
}

function callDifferences(before: PlanNode, after: PlanNode): readonly Difference[] {
  const [was, is] = [before.calls ?? ANY_NUMBER, after.calls ?? ANY_NUMBER];
  const found: Difference[] = [];
  if (was.min !== is.min) {
    const isFewer = is.min < was.min;
    const message = `counts as done after ${is.min} successes, it was ${was.min}`;
    const values = [was.min, is.min] as const;
    found.push({
      field: 'calls/min',
      change: 'call-minimum-changed',
      risk: isFewer ? 'medium' : 'none',
      values,
      message,
    });
  }
  if (was.max !== is.max) {
    const isMore = (is.max ?? Number.POSITIVE_INFINITY) > (was.max ?? Number.POSITIVE_INFINITY);
    const message = `may be called ${is.max ?? 'any number of'} times, it was ${was.max ?? 'any number'}`;
    const values = [was.max, is.max] as const;
    found.push({
      field: 'calls/max',
      change: 'call-maximum-changed',
      risk: isMore ? 'medium' : 'none',
      values,
      message,
    });
  }
  return found;
}

const ANY_NUMBER = { min: 1, max: null };

function listDifferences(before: PlanNode, after: PlanNode): readonly Difference[] {
  const needs = [before.required_capabilities, after.required_capabilities] as const;
  const makes = [before.produced_artifact_ids, after.produced_artifact_ids] as const;
  return [
    ...addedTo(...needs).map((id) => ({
      field: 'required_capabilities',
      change: 'node-capability-added',
      risk: 'medium' as const,
      values: [null, id] as const,
      message: `needs the capability ${id}`,
    })),
    ...addedTo(...makes).map((id) => ({
      field: 'produced_artifact_ids',
      change: 'node-artifact-added',
      risk: 'low' as const,
      values: [null, id] as const,
      message: `may make the artifact ${id}`,
    })),
    ...removedFrom(...makes).map((id) => ({
      field: 'produced_artifact_ids',
      change: 'node-artifact-removed',
      risk: 'none' as const,
      values: [id, null] as const,
      message: `no longer makes the artifact ${id}`,
    })),
  ];
}

function toolOf({ binding }: PlanNode): string {
  return formatToolReference({ toolId: binding.tool_id, toolVersion: binding.tool_version });
}

function contentOf({ binding }: PlanNode): readonly string[] {
  return [binding.descriptor_sha256, binding.implementation_id];
}
