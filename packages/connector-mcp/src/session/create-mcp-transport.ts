import type {
  CallOptions,
  ConnectorInvocationRequest,
  ConnectorTransport,
  ContextAnswer,
  ProviderAnswer,
  TransportFailure,
  TransportOptions,
} from '@millforge/connectors';
import { isRecord } from './any-result.ts';
import { listProvider } from './list-provider.ts';
import type { McpLimits } from './mcp-limits.ts';
import type { OpenLink } from './mcp-link.ts';
import { type McpSession, openMcpSession } from './mcp-session.ts';
import { toProviderAnswer } from './to-provider-answer.ts';
import { toWellFormed } from './well-formed.ts';
import { withoutSecrets } from './without-secrets.ts';

/** Makes a transport that speaks MCP over links that it opens when it needs them. */
export function createMcpTransport(
  open: OpenLink,
  limits: Required<McpLimits>,
): ConnectorTransport {
  const listeners: (() => void)[] = [];
  const closing = new AbortController();
  let current: Promise<McpSession> | null = null;
  const changed = (): void => {
    for (const listener of listeners) listener();
  };

  const connect = (): Promise<McpSession> => {
    const opening = openMcpSession(open, {
      limits,
      signal: AbortSignal.any([closing.signal, AbortSignal.timeout(limits.connectTimeoutMs)]),
      observer: {
        onListChanged: changed,
        onEnd() {
          if (current === opening) current = null;
          // What is left of a server that hung up has no one to speak to.
          void opening.then((session) => session.close()).catch(() => undefined);
          changed();
        },
      },
    });
    opening.catch(() => {
      if (current === opening) current = null;
    });
    return opening;
  };
  const session = async (signal: AbortSignal): Promise<McpSession> => {
    signal.throwIfAborted();
    closing.signal.throwIfAborted();
    current ??= connect();
    const opened = await unlessAborted(current, signal);
    signal.throwIfAborted();
    return opened;
  };

  const failure = async (
    error: unknown,
    what: { readonly signal: AbortSignal; readonly sent: boolean; readonly at: McpSession | null },
  ): Promise<TransportFailure> => {
    const { sent, at, signal } = what;
    if (closing.signal.aborted && !signal.aborted) {
      return { kind: 'failed', reason: 'lost', sent, message: 'The connection is closed.' };
    }
    const { toTransportFailure } = await import('./to-transport-failure.ts');
    return toTransportFailure(at?.link.fault() ?? error, {
      signal,
      sent,
      words: at?.link.lastWords() ?? '',
    });
  };

  const read = async (
    method: string,
    params: { readonly [key: string]: unknown },
    { signal }: TransportOptions,
  ): Promise<ContextAnswer> => {
    let at: McpSession | null = null;
    try {
      at = await session(signal);
      const result = await at.request(method, params, { signal, timeout: READ_MS });
      return withoutSecrets({ kind: 'read', text: contextText(result) }, at.link.secrets());
    } catch (error) {
      return failure(error, { signal, sent: at !== null, at });
    }
  };

  return {
    async discover({ signal }) {
      let at: McpSession | null = null;
      try {
        at = await session(signal);
        const listed = await listProvider(at, { limits, signal });
        return withoutSecrets({ kind: 'discovered', ...listed }, at.link.secrets());
      } catch (error) {
        return failure(error, { signal, sent: at !== null, at });
      }
    },
    async call(request, { signal, onProgress }: CallOptions): Promise<ProviderAnswer> {
      let at: McpSession | null = null;
      let sent = false;
      try {
        at = await session(signal);
        const result = await at.request('tools/call', callParams(request), {
          signal,
          // The boundary of the run stops a call in time; this is for whoever calls without one.
          timeout: (request.timeout_seconds + 5) * 1000,
          onSent: () => {
            sent = true;
          },
          ...(onProgress === undefined
            ? {}
            : { onprogress: (progress) => onProgress(progressText(progress)) }),
        });
        return withoutSecrets(toProviderAnswer(result), at.link.secrets());
      } catch (error) {
        const { ProtocolError } = await import('@modelcontextprotocol/client');
        if (error instanceof ProtocolError && sent && !signal.aborted) {
          const { toErrorAnswer } = await import('./to-transport-failure.ts');
          return toErrorAnswer(error);
        }
        return failure(error, { signal, sent, at });
      }
    },
    readPrompt: (name, input, options) => read('prompts/get', { name, arguments: input }, options),
    readResource: (uri, options) => read('resources/read', { uri }, options),
    onChange: (listener) => void listeners.push(listener),
    async [Symbol.asyncDispose]() {
      if (closing.signal.aborted) return;
      closing.abort(new DOMException('The transport was closed.', 'AbortError'));
      const opened = await current?.catch(() => null);
      await opened?.close();
    },
  };
}

function callParams(request: ConnectorInvocationRequest): { readonly [key: string]: unknown } {
  const { provider_tool_name: name, arguments: input, idempotency_key: key } = request;
  const meta = key === null ? {} : { _meta: { [IDEMPOTENCY_KEY]: key } };
  // A copy, so that no other call carries the same object.
  return { name, arguments: { ...input }, ...meta };
}

/** The texts of a prompt or a resource, one under the other. */
function contextText(result: { readonly [key: string]: unknown }): string {
  const parts: unknown[] = [];
  for (const key of ['messages', 'contents']) {
    const value = result[key];
    if (Array.isArray(value)) parts.push(...value);
  }
  const texts = parts.map((part) => {
    const inner: unknown = isRecord(part) && isRecord(part['content']) ? part['content'] : part;
    const text = isRecord(inner) ? inner['text'] : null;
    return typeof text === 'string' ? toWellFormed(text) : '[something that is no text]';
  });
  return texts.join('\n');
}

function progressText(progress: {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}): string {
  const share =
    progress.total === undefined
      ? `${progress.progress}`
      : `${progress.progress}/${progress.total}`;
  const message = toWellFormed(progress.message?.slice(0, 2000) ?? '');
  return message === '' ? share : `${share} ${message}`;
}

/** What comes first: the work, or the stop; the work goes on for whoever else waits for it. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Where a server finds the key of a call, under the prefix of this house as the protocol asks. */
const IDEMPOTENCY_KEY = 'io.millforge/idempotency-key';
const READ_MS = 30_000;
