import { resolve } from 'node:path';
import { usageError } from '../cli-error.ts';
import { readConfigDocument } from '../config/config-document.ts';
import { describeConfig } from '../config/describe-config.ts';
import { readTrustDirectory } from '../config/effective-config.ts';
import { projectConfigFile } from '../config/places.ts';
import { readConfigFile } from '../config/read-config-file.ts';
import { openTrustStore } from '../config/trust-store.ts';
import { writeLine } from '../output/terminal.ts';
import type { Command } from './command.ts';
import { isConfirmed } from './configured.ts';

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
    const file = projectConfigFile(resolve(host.cwd, args.positionals[0] ?? '.'));
    const text = await readConfigFile(file);
    if (text === null) {
      throw usageError(`There is no configuration at ${file}; there is nothing to trust.`);
    }
    const asksFor = describeConfig(readConfigDocument(text, file));
    const store = openTrustStore(await readTrustDirectory(args.text('data'), host));
    writeLine(host.stdout, `${file} asks for:`);
    for (const wish of asksFor) writeLine(host.stdout, `  ${wish}`);
    if (asksFor.length === 0) writeLine(host.stdout, '  nothing');
    if (await store.isTrusted(file, text)) {
      writeLine(host.stdout, 'It is already accepted.');
      return 0;
    }
    // Without a terminal the command itself is the consent: somebody typed it or wrote it down.
    if (host.canAsk && !(await isConfirmed(host, 'Accept it?'))) {
      writeLine(host.stdout, 'Nothing was accepted.');
      return 0;
    }
    await store.accept(file, text);
    writeLine(host.stdout, 'Accepted; a change of the file asks again.');
    return 0;
  },
};
