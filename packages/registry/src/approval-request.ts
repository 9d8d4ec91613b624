import type {
  JsonObject,
  PlanNode,
  SideEffectClass,
  ToolApproval,
  ToolBinding,
} from '@millforge/contracts';
import { type ApprovalPolicy, verdictOf } from './approval-policy.ts';
import type { RegisteredTool } from './registry-snapshot.ts';

/** The question whether one call may be performed; its digest names the call. */
export type ApprovalRequest = {
  /** Type of this document. */
  readonly kind: 'approval_request';
  /** Version of this document. */
  readonly schema_version: '1.0';
  /** The run. */
  readonly run_id: string;
  /** Identifies the call in the run, so that an approval is good for one call only. */
  readonly call_id: string;
  /** Node of the plan. */
  readonly node_id: string;
  /** Name by which the model called it. */
  readonly tool_name: string;
  /** The exact tool. */
  readonly binding: { readonly [Field in keyof ToolBinding]: ToolBinding[Field] };
  /** The strongest thing that the tool may do. */
  readonly side_effect_class: SideEffectClass;
  /** Arguments of the call. */
  readonly arguments: JsonObject;
  /** What the tool itself asks for. */
  readonly tool_approval: ToolApproval;
  /** Whether somebody is asked now, or the run waits for a decision. */
  readonly mode: 'ask' | 'hold';
  /** Seconds for which an approval is good. */
  readonly expires_after_seconds: number;
};

/** What a call needs before it may be performed: nothing, or what the policy or a person says. */
export type ApprovalNeed =
  | { readonly kind: 'none' | 'approved' }
  | { readonly kind: 'declined'; readonly message: string }
  | { readonly kind: 'needed'; readonly request: ApprovalRequest };

/** Decides by tool and policy whether somebody has to agree to a call; pure. */
export function approvalNeed(
  call: {
    readonly node: PlanNode;
    readonly tool: RegisteredTool;
    readonly input: JsonObject;
    readonly runId: string;
    readonly callId: string;
  },
  policy: ApprovalPolicy | null,
): ApprovalNeed {
  const { node, tool } = call;
  const name = node.model_tool_name;
  if (tool.approval === 'forbidden') {
    return { kind: 'declined', message: `${name} may not be used: its approval is forbidden.` };
  }
  const matched = verdictOf(policy, tool.descriptor);
  const isAsked = tool.approval !== 'none';
  const verdict = matched ?? (isAsked ? (policy?.required ?? 'decline') : 'approve');
  if (verdict === 'decline') {
    const message =
      matched === null
        ? `${name} needs approval, and nothing in this run gives it; do without it.`
        : `The policy of this run declines ${name}; do without it.`;
    return { kind: 'declined', message };
  }
  const isOutOfBand = tool.approval === 'out_of_band';
  if (verdict === 'approve' && !isOutOfBand) {
    return { kind: isAsked || matched !== null ? 'approved' : 'none' };
  }
  const mode = isOutOfBand || verdict === 'hold' ? 'hold' : 'ask';
  return { kind: 'needed', request: requestOf(call, { mode, policy }) };
}

function requestOf(
  { node, tool, input, runId, callId }: Parameters<typeof approvalNeed>[0],
  { mode, policy }: { readonly mode: 'ask' | 'hold'; readonly policy: ApprovalPolicy | null },
): ApprovalRequest {
  return {
    kind: 'approval_request',
    schema_version: '1.0',
    run_id: runId,
    call_id: callId,
    node_id: node.node_id,
    tool_name: node.model_tool_name,
    binding: { ...node.binding },
    side_effect_class: node.side_effect_class,
    arguments: input,
    tool_approval: tool.approval,
    mode,
    expires_after_seconds: policy?.expires_after_seconds ?? DEFAULT_SECONDS,
  };
}

const DEFAULT_SECONDS = 3600;
