import { readdir, readFile } from 'node:fs/promises';
import {
  createAdmissionSnapshot,
  createConnectorBroker,
  createConnectorTools,
} from '@millforge/connectors';
import type { Tool } from '@millforge/contracts';
import type { ParsedArguments } from '../arguments/parse-arguments.ts';
import type { CommandContext } from '../commands/command.ts';
import { readTrustDirectory } from '../config/effective-config.ts';
import { openTrustStore, type TrustStore } from '../config/trust-store.ts';
import { writeLine } from '../output/terminal.ts';
import { readAdmission } from './admission-document.ts';
import { type ConnectorFolder, connectorsFolder, openConnectorFolder } from './connector-folder.ts';

/** Tools of the servers that are admitted in a project; nothing is started before one is called. */
export interface ProjectConnectors extends AsyncDisposable {
  /** The tools. */
  readonly tools: readonly Tool[];
}

/**
 * Opens the connectors of a project that somebody vouched for; of the others one line is told, and nothing
 * used.
 *
 * @throws `cli/document` for a connector in force whose files are wrong.
 */
export async function openProjectConnectors(
  { host, openConnector }: CommandContext,
  args: ParsedArguments,
  project: string,
): Promise<ProjectConnectors> {
  const names = await namesIn(connectorsFolder(project));
  if (names.length === 0) return { tools: [], async [Symbol.asyncDispose]() {} };
  const store = openTrustStore(await readTrustDirectory(args.text('data'), host));
  const opened = [];
  for (const name of names) {
    const folder = await openConnectorFolder(project, name);
    if (!(await folder.has('admission.json'))) continue;
    if (!args.has('trust-project') && !(await isTrusted(folder, store))) {
      const how = `'millforge connect admit ${name}' accepts it, --trust-project uses it once`;
      writeLine(host.stderr, `The connector ${name} is not used, nobody has accepted it; ${how}.`);
      continue;
    }
    const admitted = await readAdmission(folder);
    opened.push({ ...admitted, transport: openConnector(folder.settings, { env: host.env }) });
  }
  const broker = createConnectorBroker({
    clock: { monotonicMs: () => performance.now() },
    connectors: opened.map(({ discovery, transport, result }) => ({
      discovery,
      transport,
      prompts: result.prompts,
      resources: result.resources,
    })),
  });
  const descriptors = opened.flatMap(({ result }) => result.descriptors);
  const records = opened.flatMap(({ result }) => result.records);
  const admission = createAdmissionSnapshot(records, descriptors);
  return {
    tools: createConnectorTools({ admission, descriptors, broker }),
    [Symbol.asyncDispose]: () => broker[Symbol.asyncDispose](),
  };
}

/** Records that what a connector's files say was accepted, so that runs of the project use it. */
export async function acceptConnector(folder: ConnectorFolder, store: TrustStore): Promise<void> {
  await store.accept(folder.settingsFile.path, folder.settingsFile.text);
  const path = folder.path('admission.json');
  await store.accept(path, await readFile(path, 'utf8'));
}

async function isTrusted(folder: ConnectorFolder, store: TrustStore): Promise<boolean> {
  const { path, text } = folder.settingsFile;
  const admission = folder.path('admission.json');
  return (
    (await store.isTrusted(path, text)) &&
    (await store.isTrusted(admission, await readFile(admission, 'utf8')))
  );
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted();
}
