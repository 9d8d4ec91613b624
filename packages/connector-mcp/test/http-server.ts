import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server over HTTP that speaks the former protocol, and what a test does to it. */
export interface HttpServer {
  /** Where it is. */
  readonly url: string;
  /** Values of the header `authorization` that arrived. */
  readonly tokens: readonly (string | undefined)[];
  /** Ends it, with every connection. */
  close(): Promise<void>;
}

/** Who is let in. */
export interface TokenGuard {
  /** The authorization server that the service names. */
  readonly issuer: string;
  /** Whether a token is taken. */
  readonly isGood: (token: string) => boolean;
}

/** Starts a server in one of its modes. */
export async function startHttpServer(
  mode: 'good' | 'redirects' | 'huge' | 'html' | 'fails' | 'drips' = 'good',
  guard?: TokenGuard,
): Promise<HttpServer> {
  const tokens: (string | undefined)[] = [];
  const server: Server = createServer((incoming, response) => {
    tokens.push(incoming.headers.authorization);
    if (guard !== undefined && !letIn(incoming, response, guard)) return undefined;
    if (mode === 'redirects')
      return void response.writeHead(307, { location: 'http://localhost:1/' }).end();
    if (mode === 'html')
      return void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>');
    if (mode === 'fails') return void response.writeHead(500).end();
    void answer(incoming, response, mode);
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    tokens,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
}

/** Answers what everybody may ask, and whoever brings no good token. */
function letIn(
  incoming: IncomingMessage,
  response: ServerResponse,
  { issuer, isGood }: TokenGuard,
): boolean {
  const here = `http://${incoming.headers.host}`;
  if (incoming.url?.startsWith('/.well-known/oauth-protected-resource') === true) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ resource: `${here}/mcp`, authorization_servers: [issuer] }));
    return false;
  }
  if (isGood((incoming.headers.authorization ?? '').replace('Bearer ', ''))) return true;
  const metadata = `${here}/.well-known/oauth-protected-resource/mcp`;
  response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end();
  return false;
}

async function answer(
  incoming: IncomingMessage,
  response: ServerResponse,
  mode: string,
): Promise<void> {
  if (incoming.method !== 'POST') return void response.writeHead(405).end();
  let text = '';
  for await (const chunk of incoming) text += chunk;
  const { id, method, params } = JSON.parse(text);
  if (id === undefined) return void response.writeHead(202).end();
  const say = (body: object): void => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
  };
  const words = (value: string, isError = false): void =>
    say({ result: { isError, content: [{ type: 'text', text: value }] } });
  if (method === 'initialize') {
    return say({
      result: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'http-fixture', version: '1' },
      },
    });
  }
  if (method === 'tools/list') {
    const inputSchema = { type: 'object', additionalProperties: false };
    const echo = { ...inputSchema, properties: { text: { type: 'string' } } };
    return say({
      result: {
        tools: [
          { name: 'echo', inputSchema: echo },
          { name: 'fails', inputSchema },
          { name: 'hangs', inputSchema },
        ],
      },
    });
  }
  if (method !== 'tools/call')
    return say({ error: { code: -32_601, message: 'Method not found' } });
  if (params.name === 'hangs') return undefined;
  if (params.name === 'fails') return words('It failed.', true);
  if (params.name !== 'echo') return say({ error: { code: -32_602, message: 'Unknown tool' } });
  if (mode === 'drips') return drip(response);
  return words(mode === 'huge' ? 'x'.repeat(20_000_000) : params.arguments.text);
}

/** Keeps a stream open and says nothing on it that would be an answer. */
function drip(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const timer = setInterval(() => response.write(': still here\n\n'), 20);
  response.once('close', () => clearInterval(timer));
}
