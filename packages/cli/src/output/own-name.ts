import type { CliHost } from './terminal.ts';

/** How this command is called in what a person is told to type: whoever came by npx has none on the PATH. */
export function ownName(env: CliHost['env']): string {
  return env['npm_command'] === 'exec' ? 'npx millforge' : 'millforge';
}

/** A sentence of ours with the commands in its quotes, or at its beginning, as they can be typed. */
export function asCalled(sentence: string, env: CliHost['env']): string {
  return sentence.replaceAll(COMMAND, `${ownName(env)} `);
}

const COMMAND = /(?<=^|['`]|' )millforge (?=[a-zA-Z])/g;
