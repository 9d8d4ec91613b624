import type { ApprovalRequest } from '@millforge/registry';
import type { ApprovalProvider } from '@millforge/runtime';
import { type CliHost, writeLine } from '../output/terminal.ts';

/**
 * Asks at the terminal whether a call may be performed: tool, effect and arguments. Anything but yes is no, and
 * so is a terminal that is not there.
 */
export function terminalApprovals(host: CliHost): ApprovalProvider {
  return {
    async request(request, { signal }) {
      if (!host.canAsk) {
        const { tool_name: name, side_effect_class: effect } = request;
        const why = `${name} was not performed, there is no terminal to ask at.`;
        writeLine(host.stderr, `${why} --approve ${effect} says yes beforehand.`);
        return { kind: 'declined', actor: 'nobody', reason: 'there is no terminal to ask at' };
      }
      for (const line of questionLines(request)) writeLine(host.stderr, line);
      const typed = await host.ask('Let it? [y/N] ', signal);
      return /^y(es)?$/i.test(typed.trim())
        ? { kind: 'approved', actor: 'the terminal', reason: '' }
        : { kind: 'declined', actor: 'the terminal', reason: '' };
    },
  };
}

function questionLines(request: ApprovalRequest): readonly string[] {
  const { tool_name: name, binding, side_effect_class: effect } = request;
  const lines = JSON.stringify(request.arguments, null, 2).split('\n');
  const shown = lines.slice(0, MAX_LINES).map((line) => `  ${cut(line)}`);
  const more = lines.length - shown.length;
  return [
    `${name} (${binding.tool_id}@${binding.tool_version}) asks to be performed; its effect: ${effect}`,
    ...shown,
    ...(more > 0 ? [`  … and ${more} more lines`] : []),
  ];
}

function cut(line: string): string {
  return line.length > MAX_WIDTH
    ? `${line.slice(0, MAX_WIDTH)}… (${line.length} characters)`
    : line;
}

const MAX_LINES = 40;
const MAX_WIDTH = 500;
