import type {
  Clock,
  CompiledHarnessPlan,
  ReconcileContext,
  Redactor,
  ToolImplementation,
} from '@millforge/contracts';
import type { ApprovalPolicy } from './approval-policy.ts';
import { bindPlan } from './bind-plan.ts';
import { type AdmittedCall, type CheckParts, checkCall, decideCall } from './check-call.ts';
import { type HostFolders, hideFolders } from './hide-folders.ts';
import { type LiveParts, prepareCall, reconcileCall } from './live-call.ts';
import { operationEffect, operationRepeat } from './operation-class.ts';
import { refusedCall } from './refused-call.ts';
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
  /** Replaces secrets in traces, refusals and the results of tools that ask for it. */
  readonly redactor: Redactor;
  /** What becomes of calls that somebody may have to agree to; without one, what the tools ask for is declined. */
  readonly approvals?: ApprovalPolicy;
  /**
   * Folders of this host by what is shown in their place, wherever secrets are replaced; the workspace
   * is shown as `.` in any case.
   */
  readonly hostFolders?: HostFolders;
}

/**
 * Makes the boundary between one plan and the code of its tools.
 *
 * Never throws for a binding that has drifted: calls of that tool are refused, the others work.
 */
export function createToolExecutor(options: ToolExecutorOptions): ToolExecutor {
  const { plan, snapshot, implementations, clock } = options;
  const byName = bindPlan(plan, snapshot, implementations);
  const partsFor = perWorkspace(options.hostFolders ?? new Map(), {
    byName,
    redactor: options.redactor,
    constraints: plan.capability_constraints ?? [],
    approvals: options.approvals ?? null,
  });
  const parts: LiveParts = { clock, used: new Set() };
  return Object.freeze({
    supportsTool: (name: string) => byName.get(name)?.kind === 'bound',
    check(call, context) {
      const admitted = checkCall(call, context, partsFor(context.workspace));
      return admitted.kind === 'refused' ? admitted : checkedCall(admitted, parts);
    },
  } satisfies ToolExecutor);
}

/** What calls in a workspace are checked against; nearly all calls of an executor have the same one. */
function perWorkspace(
  folders: HostFolders,
  parts: CheckParts,
): (workspace: string | null) => CheckParts {
  let last: { readonly workspace: string | null; readonly parts: CheckParts } | null = null;
  return (workspace) => {
    if (last?.workspace === workspace) return last.parts;
    const all = workspace === null ? folders : new Map([...folders, [workspace, '.']]);
    last = { workspace, parts: { ...parts, redactor: hideFolders(parts.redactor, all) } };
    return last.parts;
  };
}

function checkedCall(call: AdmittedCall, parts: LiveParts): CheckedCall {
  const { node, binding, tool, implementation } = call.bound;
  const checked = {
    kind: 'checked',
    nodeId: node.node_id,
    binding,
    effect: operationEffect(tool.descriptor),
    repeat: operationRepeat(tool.descriptor),
    input: call.input,
    inputSha256: call.facts.inputSha256,
    terminalResult: node.terminal_result,
    approval: call.approval?.decision === null ? call.approval.request : null,
    approve(decision) {
      const decided = decideCall(call, decision);
      return decided.kind === 'refused' ? decided : checkedCall(decided, parts);
    },
    refuse: ({ code, message }) => refusedCall(call.facts, { code, message }, call.redactor),
    prepare: ({ signal }) => prepareCall(call, signal, parts),
  } satisfies CheckedCall;
  return Object.freeze(
    implementation.reconcile === undefined
      ? checked
      : {
          ...checked,
          reconcile: (context: ReconcileContext) => reconcileCall(call, context, parts),
        },
  );
}
