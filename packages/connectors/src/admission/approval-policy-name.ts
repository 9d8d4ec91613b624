import type { SideEffectClass, ToolApproval } from '@millforge/contracts';

/** Who has to agree to a call of an admitted tool, as documents say it. */
export type ConnectorApproval = 'none' | 'millrace_explicit' | 'operator_out_of_band' | 'forbidden';

/** Every word for approval, for readers of documents. */
export const CONNECTOR_APPROVALS: readonly ConnectorApproval[] = [
  'none',
  'millrace_explicit',
  'operator_out_of_band',
  'forbidden',
];

/** What the boundary of a run calls it. */
export function toToolApproval(approval: ConnectorApproval): ToolApproval {
  return TOOL_APPROVAL[approval];
}

/** Whether a class of tools may change something or reaches the outside. */
export function isSideEffecting(effect: SideEffectClass): boolean {
  return effect !== 'read_only';
}

const TOOL_APPROVAL: { readonly [A in ConnectorApproval]: ToolApproval } = {
  none: 'none',
  millrace_explicit: 'explicit',
  operator_out_of_band: 'out_of_band',
  forbidden: 'forbidden',
};
