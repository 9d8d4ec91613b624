import type { Client, RequestOptions } from '@modelcontextprotocol/client';
import { type AnyResult, anyResult } from './any-result.ts';
import { linkFault, linkFaultReason } from './link-fault.ts';
import type { McpLimits } from './mcp-limits.ts';
import type { McpLink, OpenLink } from './mcp-link.ts';
import { observeTransport } from './observed-transport.ts';

/** A connection on which a protocol was agreed. */
export interface McpSession {
  /** The way to the server. */
  readonly link: McpLink;
  /** Version of the protocol that was agreed on. */
  readonly protocolVersion: string;
  /** What the server says of itself. */
  readonly server: {
    readonly name: string | null;
    readonly version: string | null;
    readonly instructions: string | null;
    readonly has: (capability: 'tools' | 'prompts' | 'resources') => boolean;
  };
  /** Makes a request; `onSent` is told once anything of it may have reached the server. */
  request(
    method: string,
    params: { readonly [key: string]: unknown },
    options: RequestOptions & { readonly onSent?: () => void },
  ): Promise<AnyResult>;
  /** Ends it. */
  close(): Promise<void>;
}

/** Who is told what becomes of a session. */
export interface SessionObserver {
  /** The server says that a list changed. */
  onListChanged(): void;
  /** The connection ended. */
  onEnd(): void;
}

/**
 * Connects and agrees on a protocol: the stable one if the server speaks it, else the one before. A server
 * that dies of being asked is started again and not asked.
 */
export async function openMcpSession(
  open: OpenLink,
  options: {
    readonly limits: Required<McpLimits>;
    readonly signal: AbortSignal;
    readonly observer: SessionObserver;
  },
): Promise<McpSession> {
  const asked = await connect(open, options, 'auto');
  if (asked !== 'died-of-asking') return asked;
  const session = await connect(open, options, 'legacy');
  if (session === 'died-of-asking') throw linkFault('lost', 'No protocol could be agreed on.');
  return session;
}

async function connect(
  open: OpenLink,
  { limits, signal, observer }: Parameters<typeof openMcpSession>[1],
  mode: 'auto' | 'legacy',
): Promise<McpSession | 'died-of-asking'> {
  // Loaded with the first connection: most programs that import this package never open one.
  const { Client: McpClient } = await import('@modelcontextprotocol/client');
  const link = await open(signal);
  let isOver = false;
  let closing: Promise<void> | null = null;
  const waiting = new Map<object, () => void>();
  const transport = observeTransport(link.transport, {
    onSend(message) {
      const input = argumentsOf(message);
      if (input !== null) waiting.get(input)?.();
    },
    onNotification(method) {
      if (LIST_CHANGES.has(method)) observer.onListChanged();
    },
  });
  const client = new McpClient(CLIENT, {
    capabilities: {},
    versionNegotiation: {
      mode,
      probe: { timeoutMs: Math.min(PROBE_MS, limits.connectTimeoutMs / 3) },
    },
    inputRequired: { autoFulfill: false },
    // Only so that the server is asked to tell; what is told is seen above.
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged() {} } },
  });
  Object.assign(client, {
    onclose() {
      // Some transports tell of their end each time that they are told to end.
      if (isOver) return;
      isOver = true;
      observer.onEnd();
    },
  } satisfies Pick<Client, 'onclose'>);
  try {
    await client.connect(transport, { signal, timeout: limits.connectTimeoutMs });
  } catch (error) {
    const words = link.lastWords();
    await link.close();
    if (signal.aborted) throw signal.reason;
    const fault = link.fault();
    // Whoever stops listening before a protocol was agreed on has ended, and why is known only now.
    if (fault !== null && linkFaultReason(fault) === 'lost') {
      throw linkFault('lost', `${fault.message} ${link.lastWords()}`.trim());
    }
    if (fault !== null) throw fault;
    if (linkFaultReason(error) !== null) throw error;
    if (mode === 'auto' && link.hasEnded()) return 'died-of-asking';
    const message = `No protocol could be agreed on.${words === '' ? '' : ` ${words}`}`;
    throw linkFault('lost', message);
  }
  const capabilities = client.getServerCapabilities() ?? {};
  const version = client.getServerVersion();
  return {
    link,
    protocolVersion: client.getNegotiatedProtocolVersion() ?? 'unknown',
    server: {
      name: version?.name ?? null,
      version: version?.version ?? null,
      instructions: client.getInstructions() ?? null,
      has: (capability) => capabilities[capability] !== undefined,
    },
    async request(method, params, { onSent, ...requestOptions }) {
      const input = params['arguments'];
      const key = typeof input === 'object' && input !== null ? input : null;
      // The same object of arguments is found again in the message that carries it.
      if (onSent !== undefined && key !== null) waiting.set(key, onSent);
      try {
        return await client.request({ method, params: { ...params } }, anyResult, requestOptions);
      } finally {
        if (key !== null) waiting.delete(key);
      }
    },
    close() {
      closing ??= closeBoth(client, link);
      return closing;
    },
  };
}

async function closeBoth(client: Client, link: McpLink): Promise<void> {
  await client.close().catch(() => undefined);
  await link.close();
}

function argumentsOf(message: object): object | null {
  const params: unknown = 'params' in message ? message.params : null;
  if (typeof params !== 'object' || params === null || !('arguments' in params)) return null;
  const input = params.arguments;
  return typeof input === 'object' ? input : null;
}

const CLIENT = { name: 'millforge', version: '0.1.0' };
/** Servers of the former protocol may not answer at all to a question that they do not know. */
const PROBE_MS = 5000;
const LIST_CHANGES = new Set([
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
]);
