import type { Tool } from '@millforge/contracts';
import { terminalTool } from './terminal-tool.ts';

/** Makes the tool that ends a run because something outside is missing. */
export function blockTool(): Tool {
  return terminalTool({
    name: 'block',
    description:
      'End the run: something that you cannot supply is missing. Call it with terminal_result BLOCKED and a summary of what is missing and who could supply it.',
    terminalResult: 'BLOCKED',
    disposition: 'blocked',
  });
}
