import { readdir } from 'node:fs/promises';
import {
  createAdmissionSnapshot,
  createConnectorBroker,
  createConnectorTools,
  createContextTools,
} from '@millforge/connectors';
import type { Tool } from '@millforge/contracts';
import type { ParsedArguments } from '../arguments/parse-arguments.ts';
import type { CommandContext } from '../commands/command.ts';
import { trustHint } from '../commands/trust-hint.ts';
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
  const folders = await connectorFolders(project);
  if (folders.length === 0) return { tools: [], async [Symbol.asyncDispose]() {} };
  const store = openTrustStore(await readTrustDirectory(args.text('data'), host));
  const opened = [];
  for (const folder of folders) {
    const { name } = folder;
    if (!(await folder.has('admission.json'))) continue;
    if (!args.has('trust-project') && !(await isConnectorTrusted(folder, store))) {
      const how = `${trustHint(host, args, project)} accepts it, --trust-project uses it once`;
      writeLine(host.stderr, `The connector ${name} is not used, nobody has accepted it; ${how}.`);
      continue;
    }
    const admitted = await readAdmission(folder);
    opened.push({ ...admitted, transport: openConnector(folder.settings, { env: host.env }) });
  }
  const connectors = opened.map(({ discovery, transport, result }) => ({
    discovery,
    transport,
    prompts: result.prompts,
    resources: result.resources,
  }));
  const broker = createConnectorBroker({
    clock: { monotonicMs: () => performance.now() },
    connectors,
  });
  const descriptors = opened.flatMap(({ result }) => result.descriptors);
  const records = opened.flatMap(({ result }) => result.records);
  const admission = createAdmissionSnapshot(records, descriptors);
  return {
    tools: [
      ...createConnectorTools({ admission, descriptors, broker }),
      ...createContextTools({ connectors, broker }),
    ],
    [Symbol.asyncDispose]: () => broker[Symbol.asyncDispose](),
  };
}

/** The connectors of a project, by name. */
export async function connectorFolders(project: string): Promise<readonly ConnectorFolder[]> {
  const names = await namesIn(connectorsFolder(project));
  return Promise.all(names.map((name) => openConnectorFolder(project, name)));
}

/** Records that what a connector's files say was accepted, so that runs of the project use it. */
export async function acceptConnector(folder: ConnectorFolder, store: TrustStore): Promise<void> {
  await store.accept(folder.settingsFile.path, folder.settingsFile.text);
  const admission = await folder.text('admission.json');
  if (admission !== null) await store.accept(folder.path('admission.json'), admission);
}

/** Whether exactly what a connector's files say was accepted. */
export async function isConnectorTrusted(
  folder: ConnectorFolder,
  store: TrustStore,
): Promise<boolean> {
  const { path, text } = folder.settingsFile;
  const admission = await folder.text('admission.json');
  return (
    (await store.isTrusted(path, text)) &&
    (admission === null || (await store.isTrusted(folder.path('admission.json'), admission)))
  );
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted();
}
