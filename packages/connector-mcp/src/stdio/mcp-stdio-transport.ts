import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { ConnectorTransport } from '@millforge/connectors';
import { type Clock, createRedactor, MillforgeError } from '@millforge/contracts';
import { createMcpTransport } from '../session/create-mcp-transport.ts';
import { linkFault } from '../session/link-fault.ts';
import { type McpLimits, withDefaults } from '../session/mcp-limits.ts';
import type { McpLink } from '../session/mcp-link.ts';
import { type McpSecret, readSecret } from '../session/read-secret.ts';
import { digestFiles } from './digest-files.ts';
import { lineTransport } from './line-transport.ts';
import { startServer } from './server-process.ts';
import { keepStderr } from './stderr-tail.ts';

/** How an MCP server is started and spoken to. */
export interface McpStdioOptions {
  /** Absolute path of the program; nothing is looked up. */
  readonly command: string;
  /** Its arguments. */
  readonly args?: readonly string[];
  /** Its working directory. */
  readonly folder: string;
  /** All of its environment but the secrets; nothing is inherited. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Secrets that it is given, by the variable in which it finds them. */
  readonly secrets?: Readonly<Record<string, McpSecret>>;
  /** Name of the program as it stands in the identity. */
  readonly name: string;
  /** Its version, where one is known. */
  readonly version?: string;
  /** Files whose bytes are pinned, absolute paths; default the program. Name the script where the program is an interpreter. */
  readonly pinnedFiles?: readonly string[];
  /** Time. */
  readonly clock: Clock;
  /** How much of the server is borne. */
  readonly limits?: McpLimits;
  /** Milliseconds between asking it to end, telling it, and killing it; default 2,000. */
  readonly graceMs?: number;
}

/**
 * Makes a transport for a server that is a program of this host. It is started with the first use, in a
 * process group of its own that ends with this process.
 *
 * @throws `connector-mcp/invalid-options` for paths that are not absolute.
 */
export function mcpStdioTransport(options: McpStdioOptions): ConnectorTransport {
  const { pinnedFiles = [options.command] } = options;
  for (const path of [options.command, options.folder, ...pinnedFiles]) {
    if (isAbsolute(path)) continue;
    throw new MillforgeError(
      'connector-mcp/invalid-options',
      'The program, its folder and the pinned files must be absolute paths.',
    );
  }
  const limits = withDefaults(options.limits);
  return createMcpTransport(async (signal) => openLink(options, { limits, signal }), limits);
}

async function openLink(
  options: McpStdioOptions,
  { limits, signal }: { readonly limits: Required<McpLimits>; readonly signal: AbortSignal },
): Promise<McpLink> {
  const { clock, graceMs = 2000, command, args = [], folder, secrets = {} } = options;
  await assertStartable(command, folder);
  const sha256 = await digestFiles(options.pinnedFiles ?? [command]).catch((error) => {
    throw linkFault('refused', `A pinned file of the server cannot be read${reasonOf(error)}.`);
  });
  const values: [string, string][] = [];
  for (const [variable, secret] of Object.entries(secrets)) {
    values.push([variable, await readSecret(secret)]);
  }
  signal.throwIfAborted();
  const environment = { ...options.environment, ...Object.fromEntries(values) };
  const server = await startServer(
    { command, args, environment, folder },
    { clock, graceMs },
  ).catch((error) => {
    throw linkFault('refused', `The server cannot be started${reasonOf(error)}.`);
  });
  const redactor = createRedactor({ secrets: values.map(([, value]) => value) });
  const beside = keepStderr(server.stderr, { redactor, maxBytes: 16_384 });
  let fault: MillforgeError | null = null as MillforgeError | null;
  let exit: string | null = null;
  void server.exited.then((how) => {
    exit = how;
  });
  const transport = lineTransport(server, {
    maxMessageBytes: limits.maxMessageBytes,
    onFault: (found) => {
      fault = found;
    },
  });
  return {
    transport,
    identity: {
      transport_kind: 'stdio',
      implementation_name: options.name,
      implementation_version: options.version ?? null,
      implementation_digest: sha256,
      configured_secret_refs: Object.values(secrets)
        .map(({ ref }) => ref)
        .toSorted(),
    },
    fault: () => fault,
    lastWords() {
      if (exit === null) return '';
      const said = beside.lastLine();
      return `It ended with ${exit}${said === '' ? '.' : ` and said: ${said}`}`;
    },
    secrets: () => values.map(([, value]) => value),
    hasEnded: () => exit !== null,
    close: () => server.end(),
  };
}

/** The shell that starts the program would say of a missing one only that it ended. */
async function assertStartable(command: string, folder: string): Promise<void> {
  await access(command, constants.X_OK).catch((error) => {
    throw linkFault('refused', `The program of the server cannot be started${reasonOf(error)}.`);
  });
  const isFolder = (await stat(folder).catch(() => null))?.isDirectory() === true;
  if (!isFolder) throw linkFault('refused', 'The folder of the server is no folder.');
}

/** The code of a system error; paths of this host are not told to models. */
function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' ? ` (${code})` : '';
}
