import { resolve } from 'node:path';
import type { ParsedArguments } from '../arguments/parse-arguments.ts';
import { ownName } from '../output/own-name.ts';
import type { CliHost } from '../output/terminal.ts';
import { shellWord } from './data-place.ts';

/**
 * The command that accepts a project for the command that said so: what is accepted is kept in the data
 * directory, so that another one knows nothing of it.
 */
export function trustHint(host: CliHost, args: ParsedArguments, project: string): string {
  const data = args.text('data');
  const words = [
    `${ownName(host.env)} trust`,
    ...(resolve(host.cwd, project) === resolve(host.cwd) ? [] : [shellWord(project)]),
    ...(data === null ? [] : [`--data ${shellWord(data)}`]),
  ];
  return `'${words.join(' ')}'`;
}
