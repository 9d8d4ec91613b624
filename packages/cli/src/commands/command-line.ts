import type { ArgumentSpec, ParsedArguments } from '../arguments/parse-arguments.ts';
import { shellWord } from './data-place.ts';

/** The words of a command as they were given, without the form of its output, to be pasted into a shell. */
export function commandLine({ command, options }: ArgumentSpec, args: ParsedArguments): string {
  const words = [command, ...args.positionals.map(shellWord)];
  for (const [name, { value }] of Object.entries(options)) {
    if (name === 'json') continue;
    if (value === null && args.has(name)) words.push(`--${name}`);
    for (const given of args.list(name)) words.push(`--${name} ${shellWord(given)}`);
  }
  return words.join(' ');
}
