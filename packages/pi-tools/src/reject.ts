import type { Tool } from '@millforge/contracts';
import { terminalTool } from './terminal-tool.ts';

/** Makes the tool that ends a run because the task should not be done. */
export function rejectTool(): Tool {
  return terminalTool({
    name: 'reject',
    description:
      'End the run: the task cannot or should not be done as it stands. Call it with terminal_result REJECTED and a summary of the reasons.',
    terminalResult: 'REJECTED',
    disposition: 'rejected',
  });
}
