import type { Tool } from '@millforge/contracts';
import { blockTool } from '../block.ts';
import { rejectTool } from '../reject.ts';
import { submitTool } from '../submit.ts';
import { terminalTool } from '../terminal-tool.ts';
import { type BaseTerminal, chooseTerminals, type TerminalChoice } from './base-terminals.ts';

/**
 * Makes the tools that end a run with results of the host's own: `terminal_<token>`, one for each.
 *
 * They stand beside those of `piTools`. For the usual three results they are `submit`, `block` and
 * `reject`, which `piTools` brings already.
 *
 * @throws `pi-tools/invalid-option` for an empty, repeated, misspelt or too long list.
 */
export function piTerminals(terminals: readonly BaseTerminal[]): readonly Tool[] {
  return Object.freeze(chooseTerminals(terminals).map(toolOf));
}

function toolOf({ name, idEnd, result, disposition }: TerminalChoice): Tool {
  if (name === 'submit') return submitTool();
  if (name === 'block') return blockTool();
  if (name === 'reject') return rejectTool();
  return terminalTool({
    name,
    idEnd,
    description: `Return terminal result ${result} with a nonblank summary.`,
    terminalResult: result,
    disposition,
  });
}
