import type { Command } from '../commands/command.ts';

/** The list of commands. */
export function renderOverview(
  commands: readonly Command[],
  { version, program }: { readonly version: string; readonly program: string },
): string {
  const width = Math.max(...commands.map((command) => signature(command).length));
  return [
    `millforge ${version}: compile a harness, run it under guard, keep the trail.`,
    '',
    ...commands.map((command) => `  ${signature(command).padEnd(width)}  ${command.summary}`),
    '',
    `'${program} COMMAND --help' explains one, with an example.`,
    '',
  ].join('\n');
}

/** The help of one command, as this program is called. */
export function renderCommandHelp(command: Command, program: string): string {
  const options = Object.entries(command.options).map(([name, option]) => ({
    left: `--${name}${option.value === null ? '' : ` ${option.value}`}${option.isRepeatable === true ? ' …' : ''}`,
    right: option.help,
  }));
  const width = Math.max(...options.map((option) => option.left.length), 0);
  return [
    `${command.summary[0]?.toUpperCase() ?? ''}${command.summary.slice(1)}.`,
    '',
    `  ${program} ${signature(command)}${options.length === 0 ? '' : ' [options]'}`,
    '',
    ...options.map((option) => `  ${option.left.padEnd(width)}  ${option.right}`),
    ...(options.length === 0 ? [] : ['']),
    `Example: ${command.example.replace(/^millforge(?= )/, program)}`,
    '',
  ].join('\n');
}

function signature(command: Command): string {
  const names = command.positionals.map((name) =>
    name.endsWith('?') ? `[${name.slice(0, -1)}]` : name,
  );
  return [command.command, ...names].join(' ');
}
