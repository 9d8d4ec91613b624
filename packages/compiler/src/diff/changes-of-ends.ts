import type { CompiledHarnessPlan, PlanNode } from '@millforge/contracts';
import { dispositionOf } from '../explain/disposition-of.ts';
import { type PlanGates, planGates } from '../explain/plan-gates.ts';
import { removedFrom } from './compare-lists.ts';
import type { PlanChange } from './plan-diff.ts';

/** Finds ways to end a run that are new, and ends that mean something else to the caller. */
export function changesOfEnds(
  before: CompiledHarnessPlan,
  after: CompiledHarnessPlan,
): readonly PlanChange[] {
  const was = new Map(before.nodes.map((node) => [node.node_id, node]));
  const gates = planGates(after);
  return after.nodes.flatMap((node) => {
    const old = was.get(node.node_id);
    const meaning = old === undefined ? null : dispositionOf(old);
    const end = endOf(node, gates);
    if (end === null || meaning === end.disposition) return [];
    if (meaning === null) return [addedEnd(end, otherSuccesses(node, before, after))];
    return [
      {
        change: 'disposition-changed',
        risk: 'high' as const,
        path: `/nodes/${end.nodeId}/disposition`,
        message: `The step ${end.nodeId} means ${end.disposition} to the caller, it was ${meaning}.`,
        before: meaning,
        after: end.disposition,
      },
    ];
  });
}

/** One way to end a run. */
interface End {
  readonly nodeId: string;
  readonly result: string;
  readonly disposition: string;
  /** What must have succeeded before it. */
  readonly gates: readonly string[];
}

function endOf(node: PlanNode, gates: PlanGates): End | null {
  const { node_id: nodeId, terminal_result: result } = node;
  const disposition = dispositionOf(node);
  if (result === null || disposition === null) return null;
  return { nodeId, result, disposition, gates: gates.beforeEnd(node) };
}

/** Successes that a new one is held against: those there were, or else the other new ones. */
function otherSuccesses(
  node: PlanNode,
  before: CompiledHarnessPlan,
  after: CompiledHarnessPlan,
): readonly End[] {
  const known = successesOf(before);
  return known.length > 0
    ? known
    : successesOf(after).filter(({ nodeId }) => nodeId !== node.node_id);
}

function successesOf(plan: CompiledHarnessPlan): readonly End[] {
  const gates = planGates(plan);
  const ends = plan.nodes.flatMap((node) => endOf(node, gates) ?? []);
  return ends.filter(({ disposition }) => disposition === 'success');
}

function addedEnd(end: End, others: readonly End[]): PlanChange {
  const { nodeId, result, disposition, gates } = end;
  // A success is well gated when at least one other is gated by no more.
  const lacking = others.map((other) => removedFrom(other.gates, gates));
  const least = lacking.toSorted((a, b) => a.length - b.length)[0] ?? [];
  const isWeak = disposition === 'success' && least.length > 0;
  const comes = gates.length === 0 ? 'with nothing required before' : `after ${gates.join(', ')}`;
  return {
    change: 'end-added',
    risk: isWeak ? 'high' : 'medium',
    path: `/nodes/${nodeId}/terminal_result`,
    message: `The step ${nodeId} is a new end: ${result}, which means ${disposition}, ${comes}${
      isWeak ? `; other successes come after ${least.join(', ')} too` : ''
    }.`,
    before: null,
    after: [result, disposition, ...gates],
  };
}
