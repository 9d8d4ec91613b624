import type {
  Clock,
  CompiledHarnessPlan,
  Redactor,
  ToolImplementation,
} from '@millforge/contracts';
import { bindPlan } from './bind-plan.ts';
import { type AdmittedCall, checkCall } from './check-call.ts';
import { type LiveParts, prepareCall, reconcileCall } from './live-call.ts';
import { operationEffect, operationRepeat } from './operation-class.ts';
import type { RegistrySnapshot } from './registry-snapshot.ts';
import type { CheckedCall, ToolExecutor } from './tool-executor.ts';

/** What an executor is made of. */
export interface ToolExecutorOptions {
  /** The plan; only its names can be called. */
  readonly plan: CompiledHarnessPlan;
  /** The tools; every binding of the plan is proved against them. */
  readonly snapshot: RegistrySnapshot;
  /** The code, by implementation id; usually `snapshot.implementations`. */
  readonly implementations: ReadonlyMap<string, ToolImplementation>;
  /** Time. */
  readonly clock: Clock;
  /** Replaces secrets in traces and in the results of tools that ask for it. */
  readonly redactor: Redactor;
}

/**
 * Makes the boundary between one plan and the code of its tools.
 *
 * Never throws for a binding that has drifted: calls of that tool are refused, the others work.
 */
export function createToolExecutor(options: ToolExecutorOptions): ToolExecutor {
  const { plan, snapshot, implementations, clock, redactor } = options;
  const byName = bindPlan(plan, snapshot, implementations);
  return Object.freeze({
    supportsTool: (name: string) => byName.get(name)?.kind === 'bound',
    check(call, context) {
      const admitted = checkCall(call, context, {
        byName,
        redactor,
        constraints: plan.capability_constraints ?? [],
      });
      return admitted.kind === 'refused' ? admitted : checkedCall(admitted, { clock, redactor });
    },
  } satisfies ToolExecutor);
}

function checkedCall(call: AdmittedCall, parts: LiveParts): CheckedCall {
  const { node, tool, implementation } = call.bound;
  return Object.freeze({
    kind: 'checked',
    nodeId: node.node_id,
    binding: node.binding,
    effect: operationEffect(tool.descriptor),
    repeat: operationRepeat(tool.descriptor),
    input: call.input,
    terminalResult: node.terminal_result,
    prepare: ({ signal }) => prepareCall(call, signal, parts),
    ...(implementation.reconcile === undefined
      ? {}
      : { reconcile: (context) => reconcileCall(call, context, parts) }),
  } satisfies CheckedCall);
}
