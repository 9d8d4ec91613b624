import {
  type OperationEffect,
  type OperationRepeat,
  type SideEffectCertainty,
  type ToolDescriptor,
  unreachable,
} from '@millforge/contracts';

/** What a call of that tool may do to the outside. */
export function operationEffect(tool: ToolDescriptor): OperationEffect {
  switch (tool.side_effect_class) {
    case 'read_only':
    case 'network_read':
      return 'read';
    case 'artifact_write':
    case 'workspace_write':
      return 'write';
    case 'terminal':
      return 'none';
    case 'process_execution':
    case 'network_write':
      return 'external';
    default:
      return unreachable(tool.side_effect_class, 'side effect class');
  }
}

/** Whether a call of that tool may be performed again. */
export function operationRepeat(tool: ToolDescriptor): OperationRepeat {
  // Nothing outside differs after these, however often they run.
  if (leavesNoTrace(tool)) return 'safe';
  switch (tool.idempotency) {
    case 'idempotent':
      return 'safe';
    case 'idempotent_with_key':
      // A key helps only where the receiver remembers it, and no file system does.
      return operationEffect(tool) === 'write' ? 'unsafe' : 'keyed';
    case 'non_idempotent':
    case 'unknown':
      return 'unsafe';
    default:
      return unreachable(tool.idempotency, 'idempotency');
  }
}

/** What is known about the effect of a call that broke off. */
export function certaintyInDoubt(tool: ToolDescriptor): SideEffectCertainty {
  return leavesNoTrace(tool) ? 'confirmed_absent' : 'completion_unknown';
}

function leavesNoTrace(tool: ToolDescriptor): boolean {
  return tool.side_effect_class === 'read_only' || tool.side_effect_class === 'terminal';
}
