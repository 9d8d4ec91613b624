import type { Tool } from '@millforge/contracts';
import { terminalTool } from './terminal-tool.ts';

/** Makes the tool that ends a run because the task is done. */
export function submitTool(): Tool {
  return terminalTool({
    name: 'submit',
    description:
      'End the run: the task is done. Call it once, last, with terminal_result COMPLETE and a summary of what was done and how it was checked.',
    terminalResult: 'COMPLETE',
    disposition: 'success',
  });
}
