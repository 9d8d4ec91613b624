import type { Disposition, Tool } from '@millforge/contracts';
import { definePiTool } from './define-pi-tool.ts';
import { stringArgument } from './tool-arguments.ts';

/** One way to end a run. */
export interface TerminalDefinition {
  /** Name shown to the model. */
  readonly name: string;
  /** End of the id; default the name. */
  readonly idEnd?: string;
  readonly description: string;
  /** The only value of the argument `terminal_result`. */
  readonly terminalResult: string;
  readonly disposition: Disposition;
}

/** Makes a tool that ends the run and says why; the summary is the result. */
export function terminalTool(terminal: TerminalDefinition): Tool {
  return definePiTool({
    name: terminal.name,
    ...(terminal.idEnd === undefined ? {} : { idEnd: terminal.idEnd }),
    description: terminal.description,
    properties: {
      terminal_result: { type: 'string', enum: [terminal.terminalResult] },
      summary: { type: 'string' },
    },
    required: ['terminal_result', 'summary'],
    results: {
      terminal_result: { type: 'string' },
      disposition: { type: 'string' },
      summary: { type: 'string' },
    },
    requiredResults: ['terminal_result', 'disposition', 'summary'],
    sideEffect: 'terminal',
    idempotency: 'non_idempotent',
    capabilities: ['terminal.intent'],
    limits: { timeoutSeconds: 30, graceSeconds: 5 },
    check: (input) =>
      stringArgument(input, 'summary').trim() === ''
        ? {
            kind: 'refused',
            code: 'invalid_arguments',
            message: 'terminal summary must not be blank',
          }
        : null,
    run: async (input) => {
      const summary = stringArgument(input, 'summary');
      return {
        kind: 'done',
        text: summary,
        data: {
          truncated: false,
          terminal_result: terminal.terminalResult,
          disposition: terminal.disposition,
          summary,
        },
      };
    },
  });
}
