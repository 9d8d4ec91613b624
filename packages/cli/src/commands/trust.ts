import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { usageError } from '../arguments/usage-error.ts';
import { readConfigDocument } from '../config/config-document.ts';
import { describeConfig, userDataDirectory } from '../config/effective-config.ts';
import { projectConfigFile } from '../config/places.ts';
import { openTrustStore } from '../config/trust-store.ts';
import { writeLine } from '../output/terminal.ts';
import type { Command } from './command.ts';

/** Shows what a project's configuration asks for, and records that it is accepted. */
export const trustCommand: Command = {
  command: 'trust',
  positionals: ['dir?'],
  summary: "show what a project's configuration asks for, and accept it",
  example: 'millforge trust .',
  options: {
    data: { value: 'DIR', help: 'data directory in which the acceptance is recorded' },
  },
  async run({ host }, args) {
    const project = resolve(host.cwd, args.positionals[0] ?? '.');
    const file = projectConfigFile(project);
    const text = await readText(file);
    const asksFor = describeConfig(readConfigDocument(text, file));
    const store = openTrustStore(await userDataDirectory(args.text('data'), host));
    writeLine(host.stdout, `${file} asks for:`);
    for (const wish of asksFor) writeLine(host.stdout, `  ${wish}`);
    if (asksFor.length === 0) writeLine(host.stdout, '  nothing');
    if (await store.isTrusted(file, text)) {
      writeLine(host.stdout, 'It is already accepted.');
      return 0;
    }
    // Without a terminal the command itself is the consent: somebody typed it or wrote it down.
    if (host.canAsk && !/^y(es)?$/i.test((await host.ask('Accept it? [y/N] ')).trim())) {
      writeLine(host.stdout, 'Nothing was accepted.');
      return 0;
    }
    await store.accept(file, text);
    writeLine(host.stdout, 'Accepted; a change of the file asks again.');
    return 0;
  },
};

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw usageError(`There is no configuration to trust: ${file} cannot be read.`, cause);
  }
}
