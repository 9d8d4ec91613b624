import {
  type SideEffectCertainty,
  type ToolErrorCode,
  type ToolResult,
  unreachable,
} from '@millforge/contracts';
import type {
  SandboxAborted,
  SandboxCrashed,
  SandboxRefused,
  SandboxStopped,
  SandboxUnavailable,
} from '@millforge/sandbox';

/** What a run that gave no answer means to the model; `broken` tells what is known about its effect. */
export function noAnswer(
  result: SandboxStopped | SandboxAborted | SandboxCrashed | SandboxRefused | SandboxUnavailable,
  { broken, signal }: { readonly broken: SideEffectCertainty; readonly signal: AbortSignal },
): ToolResult {
  switch (result.kind) {
    case 'stopped': {
      const code: ToolErrorCode = result.limit === 'time' ? 'timeout' : 'implementation_error';
      const text = `The tool was stopped: it came to its limit of ${result.limit}.`;
      return { kind: 'failed', code, text, certainty: broken };
    }
    case 'aborted': {
      // The executor's clock for the call and the sandbox's run out at the same time.
      const code = isTimeout(signal) ? 'timeout' : 'cancelled';
      return { kind: 'failed', code, text: 'The tool was stopped.', certainty: broken };
    }
    case 'crashed':
      return {
        kind: 'failed',
        code: 'implementation_error',
        text: 'The tool ended without an answer.',
        certainty: broken,
      };
    case 'refused':
      return {
        kind: 'failed',
        code: 'policy_denied',
        text: `The sandbox does not run this tool. ${result.message}`,
        certainty: 'not_attempted',
      };
    case 'unavailable':
      return {
        kind: 'failed',
        code: 'process_launch_error',
        text: `The sandbox cannot run this tool here. ${result.message}`,
        certainty: 'not_attempted',
      };
    default:
      return unreachable(result, 'result of the sandbox');
  }
}

function isTimeout({ reason }: AbortSignal): boolean {
  return reason instanceof Error && reason.name === 'TimeoutError';
}
