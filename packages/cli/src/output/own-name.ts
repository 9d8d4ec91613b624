import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { CliHost } from './terminal.ts';

/**
 * How this command is called in what a person is told to type: by its name where the shell finds that, else by npx,
 * which finds what is installed in the project and what is installed for all.
 */
export function ownName(env: CliHost['env']): string {
  return isOnPath(env) ? 'millforge' : 'npx millforge';
}

function isOnPath({ npm_command: npm, PATH: path = '' }: CliHost['env']): boolean {
  // What npm starts finds more than the shell of whoever reads it.
  if (npm !== undefined) return false;
  return path
    .split(delimiter)
    .some((folder) => folder !== '' && existsSync(join(folder, 'millforge')));
}

/**
 * A sentence of ours with the commands in its quotes, or at its beginning, as they can be typed; those that look at
 * what is kept get `dataFlag`, so that they look in the same place.
 */
export function asCalled(sentence: string, env: CliHost['env'], dataFlag = ''): string {
  const placed = sentence.replaceAll(LOOKING, (command) => `${command}${dataFlag}`);
  return placed.replaceAll(COMMAND, `${ownName(env)} `);
}

// What names a place of its own, or is said to lack something, is not advised for this one.
const LOOKING =
  /(?<=(['`]))millforge (?:runs|resume|trail|publish|doctor|review|develop)(?: (?!--data|--help)[^'` ]+)*(?=\1(?! needs| has no| does not))/g;
const COMMAND = /(?<=^|['`]|' )millforge (?=[a-zA-Z])/g;
