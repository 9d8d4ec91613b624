import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** A ticket service on this machine. */
export interface TicketService {
  /** Where it is. */
  readonly url: string;
  /** Titles of the tickets that were opened. */
  readonly tickets: string[];
  /** Ends it. */
  close(): Promise<void>;
}

/** Starts the service on a port of its own. */
export async function startTicketService(): Promise<TicketService> {
  const tickets: string[] = [];
  const answered = new Map<string, object>();
  const server = createServer((request, response) => void answer(request, response));
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url === '/tools') return say(response, { tools: TOOLS });
    let body = '';
    for await (const chunk of request) body += chunk;
    const { tool, input } = JSON.parse(body);
    if (tool === 'echo') return say(response, { text: input.text });
    if (tool === 'fails') return say(response, { error: 'It failed.' }, 500);
    if (tool === 'hangs') return undefined;
    if (tool !== 'open_ticket') return say(response, { error: 'unknown-tool' }, 404);
    const key = [request.headers['idempotency-key']].flat().join();
    if (!answered.has(key)) {
      tickets.push(input.title);
      answered.set(key, { data: { number: tickets.length, title: input.title } });
    }
    return say(response, answered.get(key) ?? {});
  };
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/`,
    tickets,
    async close() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

function say(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

const NOTHING = { type: 'object', additionalProperties: false };
const TOOLS = [
  {
    name: 'open_ticket',
    about: 'Opens a ticket.',
    input: {
      ...NOTHING,
      properties: { title: { type: 'string', maxLength: 80 } },
      required: ['title'],
    },
    output: {
      ...NOTHING,
      properties: { number: { type: 'integer' }, title: { type: 'string' } },
      required: ['number', 'title'],
    },
  },
  {
    name: 'echo',
    about: 'Says it back.',
    input: { ...NOTHING, properties: { text: { type: 'string' } } },
  },
  { name: 'fails', about: 'Fails.', input: NOTHING },
  { name: 'hangs', about: 'Never answers.', input: NOTHING },
];
