import {
  type ConnectorDiscoverySnapshot,
  type ConnectorTransport,
  createDiscoverySnapshot,
} from '@millforge/connectors';
import type { ParsedArguments } from '../arguments/parse-arguments.ts';
import { documentError, usageError } from '../cli-error.ts';
import type { CommandContext } from '../commands/command.ts';
import { isConfirmed } from '../commands/configured.ts';
import { trustHint } from '../commands/trust-hint.ts';
import { readTrustDirectory } from '../config/effective-config.ts';
import { openTrustStore } from '../config/trust-store.ts';
import { type CliHost, writeLine } from '../output/terminal.ts';
import { checkServer } from './check-server.ts';
import type { ConnectorFolder } from './connector-folder.ts';
import { describeAdmission } from './describe-admission.ts';
import { describeConnector } from './describe-connector.ts';
import { good } from './good.ts';

/**
 * Makes the way to a connector's server, once somebody vouched for what it starts or reaches: the folder may
 * come from a clone.
 *
 * @throws `cli/usage` where nobody did, or a variable is not set; `cli/document` for what is not there.
 */
export async function connect(
  { host, openConnector }: CommandContext,
  args: ParsedArguments,
  folder: ConnectorFolder,
): Promise<ConnectorTransport> {
  await assertAccepted(host, args, folder);
  await checkServer(folder, host.env);
  return openConnector(folder.settings, { env: host.env });
}

/**
 * Has somebody vouch for what a connector starts or reaches.
 *
 * @throws `cli/usage` where nobody does.
 */
export async function assertAccepted(
  host: CliHost,
  args: ParsedArguments,
  folder: ConnectorFolder,
): Promise<void> {
  await assertVouched(host, args, {
    ...folder.settingsFile,
    lines: [describeConnector(folder.settings)],
  });
}

/**
 * Has somebody vouch for what a connector lets in, which may come from a clone or may have been changed.
 *
 * @throws `cli/usage` where nobody does.
 */
export async function assertAdmissionAccepted(
  host: CliHost,
  args: ParsedArguments,
  folder: ConnectorFolder,
): Promise<void> {
  const text = await folder.text('admission.json');
  if (text === null) return;
  const lines = await describeAdmission(folder);
  await assertVouched(host, args, { path: folder.path('admission.json'), text, lines });
}

async function assertVouched(
  host: CliHost,
  args: ParsedArguments,
  file: { readonly path: string; readonly text: string; readonly lines: readonly string[] },
): Promise<void> {
  const { lines, path, text } = file;
  const store = openTrustStore(await readTrustDirectory(args.text('data'), host));
  if (args.has('trust-project') || (await store.isTrusted(path, text))) return;
  for (const line of lines) writeLine(host.stderr, `${path}: ${line}.`);
  if (!host.canAsk) {
    throw usageError(
      `Nobody has accepted ${path}; ${trustHint(host, args, host.cwd)} accepts it, --trust-project uses it once.`,
    );
  }
  if (!(await isConfirmed(host, 'Accept it?'))) throw usageError('It was not accepted.');
  await store.accept(path, text);
}

/**
 * Asks a server what it has, and writes it down.
 *
 * @throws `cli/document` for a server that cannot be reached, or says what cannot be written down.
 */
export async function discoverNow(
  folder: ConnectorFolder,
  transport: ConnectorTransport,
  now: Date,
): Promise<ConnectorDiscoverySnapshot> {
  const discovered = await transport.discover({ signal: AbortSignal.timeout(DISCOVER_MS) });
  if (discovered.kind === 'failed') {
    const { transport: way } = folder.settings;
    const advice =
      way.kind === 'http' && way.login !== null
        ? ` 'millforge connect login ${folder.name}' logs in.`
        : '';
    throw documentError(
      `The server of ${folder.name} cannot be asked: ${discovered.message}${advice}`,
    );
  }
  const at = now.toISOString();
  return good(
    createDiscoverySnapshot({
      connector_identity: {
        connector_id: folder.settings.connectorId,
        discovered_at: at,
        ...discovered.identity,
      },
      created_at: at,
      provider_tools: discovered.tools,
      provider_prompts: discovered.prompts,
      provider_resources: discovered.resources,
      provider_metadata: discovered.metadata,
    }),
    `What the server of ${folder.name} says`,
  );
}

const DISCOVER_MS = 60_000;
