import { resolve } from 'node:path';
import { documentError, usageError } from '../cli-error.ts';
import { readConfigDocument } from '../config/config-document.ts';
import { describeConfig } from '../config/describe-config.ts';
import { readTrustDirectory } from '../config/effective-config.ts';
import { projectConfigFile } from '../config/places.ts';
import { readConfigFile } from '../config/read-config-file.ts';
import { openTrustStore } from '../config/trust-store.ts';
import { describeAdmission } from '../connect/describe-admission.ts';
import { describeConnector } from '../connect/describe-connector.ts';
import {
  acceptConnector,
  connectorFolders,
  isConnectorTrusted,
} from '../connect/project-connectors.ts';
import {
  acceptCustomTools,
  areCustomToolsTrusted,
  readCustomToolsFolder,
} from '../custom-tools/custom-tools-folder.ts';
import { describeCustomTools } from '../custom-tools/project-custom-tools.ts';
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
  async run(context, args) {
    const { host } = context;
    const project = resolve(host.cwd, args.positionals[0] ?? '.');
    const file = projectConfigFile(project);
    const text = await readConfigFile(file);
    const connectors = await connectorFolders(project);
    const customTools = await readCustomToolsFolder(project);
    if (text === null && connectors.length === 0 && customTools === null) {
      throw usageError(`There is no configuration at ${file}; there is nothing to trust.`);
    }
    const asksFor = text === null ? [] : describeConfig(readConfigDocument(text, file));
    const store = openTrustStore(await readTrustDirectory(args.text('data'), host));
    const ofConnectors = connectors.map(async (folder) => [
      describeConnector(folder.settings),
      ...(await describeAdmission(folder)),
    ]);
    const described =
      customTools === null
        ? { lines: [], fault: null }
        : await describeCustomTools(context, customTools);
    const wishes = [...asksFor, ...(await Promise.all(ofConnectors)).flat(), ...described.lines];
    writeLine(host.stdout, `${text === null ? project : file} asks for:`);
    for (const wish of wishes) writeLine(host.stdout, `  ${wish}`);
    if (wishes.length === 0) writeLine(host.stdout, '  nothing');
    // Tools that cannot be used are nothing to agree to; the rest of the project may still be.
    const { fault } = described;
    const usable = fault === null ? customTools : null;
    const accepted = await Promise.all([
      text === null || store.isTrusted(file, text),
      ...connectors.map((folder) => isConnectorTrusted(folder, store)),
      usable === null || areCustomToolsTrusted(usable, store),
    ]);
    if (accepted.every(Boolean)) {
      if (fault !== null) throw documentError(`The custom tools were not accepted: ${fault}`);
      writeLine(host.stdout, 'It is already accepted.');
      return 0;
    }
    // Without a terminal the command itself is the consent: somebody typed it or wrote it down.
    if (host.canAsk && !(await isConfirmed(host, 'Accept it?'))) {
      writeLine(host.stdout, 'Nothing was accepted.');
      return 0;
    }
    if (text !== null) await store.accept(file, text);
    for (const folder of connectors) await acceptConnector(folder, store);
    if (usable !== null) await acceptCustomTools(usable, store);
    if (fault !== null)
      throw documentError(`The rest was accepted, the custom tools not: ${fault}`);
    writeLine(host.stdout, 'Accepted; a change of the file asks again.');
    return 0;
  },
};
