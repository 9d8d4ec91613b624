import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { JsonValue } from '@millforge/contracts';
import { isPlainObject } from '../document/plain-object.ts';
import type { ScriptedReply } from '../script/model-script.ts';
import { endOfScript, scriptedTurn } from '../script/scripted-turn.ts';
import { answerWith, sendError, sendJson } from './answer-with.ts';
import { completionBody } from './completion-body.ts';
import { findTranscriptProblems } from './find-transcript-problems.ts';
import { messageBody } from './message-body.ts';
import type { ScriptedFault } from './scripted-fault.ts';
import { chatEvents, messageEvents } from './stream-events.ts';
import { toTranscript } from './to-transcript.ts';

/** What a scripted server answers, and where it listens. */
export interface ScriptedServerOptions {
  /** The reply at index n answers a request with n assistant messages. */
  readonly replies: readonly ScriptedServerReply[];
  /** Faults by number of the completion request, from 1; they come before that of a reply. */
  readonly faults?: { readonly [requestNumber: number]: ScriptedFault };
  /** Loopback address; `127.0.0.1` unless given. */
  readonly host?: string;
  /** Port; a free one unless given. */
  readonly port?: number;
  /** Refuses, with status 400, conversations that some server or chat template refuses. */
  readonly strict?: boolean;
}

/** A reply, and how it goes wrong each time it is asked for. */
export interface ScriptedServerReply extends ScriptedReply {
  /** The fault; none unless given. */
  readonly fault?: ScriptedFault;
}

/** A completion request as it arrived. */
export interface RecordedRequest {
  /** Headers, names in lower case. */
  readonly headers: { readonly [name: string]: string };
  /** Body as it was sent. */
  readonly text: string;
  /** Body as JSON; null when it is none. */
  readonly body: JsonValue;
}

/** A running server; it owns a port until it is closed. */
export interface ScriptedServer extends AsyncDisposable {
  /** Root of the API, such as `http://127.0.0.1:40123/v1`. */
  readonly url: string;
  /** Completion requests, in order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /** Number of completion requests. */
  readonly requestCount: number;
  /** Resolves when so many completion requests have arrived. */
  arrived(requestCount: number): Promise<void>;
  /** Resolves when the client has closed the connection of a request, counted from 1, before its answer ended. */
  abandoned(requestNumber: number): Promise<void>;
  /** Cuts every connection and frees the port. */
  close(): Promise<void>;
}

/**
 * Starts a server on loopback that speaks `/v1/chat/completions`, whole or streamed, `/v1/messages`
 * and `/v1/models` from a script.
 *
 * Like a scripted model it chooses by the number of assistant messages, so that a run gets the same
 * replies after it was killed and resumed. It misbehaves on request.
 */
export async function startScriptedServer(options: ScriptedServerOptions): Promise<ScriptedServer> {
  const requests: RecordedRequest[] = [];
  const waits = createWaits();
  const server = createServer((incoming, outgoing) => {
    // A client that leaves in the middle of its request has nothing to be told.
    answer(incoming, outgoing).catch(() => outgoing.destroy());
  });

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const path = incoming.url?.split('?', 1)[0] ?? '/';
    const text = await readText(incoming);
    if (incoming.method === 'GET' && path === '/v1/models') {
      sendJson(outgoing, 200, { object: 'list', data: [{ id: 'scripted', object: 'model' }] });
      return;
    }
    const isMessages = path === '/v1/messages';
    if (incoming.method !== 'POST' || (path !== '/v1/chat/completions' && !isMessages)) {
      sendError(outgoing, 404, `There is no ${incoming.method ?? ''} ${path} here.`);
      return;
    }
    const body = parsed(text);
    requests.push({ headers: plainHeaders(incoming), text, body });
    const number = requests.length;
    outgoing.on('close', () => {
      if (!outgoing.writableFinished) waits.mark(`abandoned ${number}`);
    });
    waits.mark(`arrived ${number}`);
    const messages = isPlainObject(body) ? body['messages'] : undefined;
    if (!isPlainObject(body) || !Array.isArray(messages)) {
      sendError(outgoing, 400, 'Expected a JSON object with "messages".');
      return;
    }
    const [problem] = options.strict === true ? findTranscriptProblems(toTranscript(messages)) : [];
    if (problem !== undefined) {
      sendError(outgoing, 400, `Message ${problem.index} is refused: ${problem.problem}.`);
      return;
    }
    const turn = scriptedTurn(messages.filter(isMessage));
    const reply = options.replies[turn];
    const fault = options.faults?.[number] ?? reply?.fault;
    if (reply === undefined && fault === undefined) {
      sendError(outgoing, 400, endOfScript(turn, options.replies.length));
      return;
    }
    const model = typeof body['model'] === 'string' ? body['model'] : 'scripted';
    const completion = completionBody(reply ?? { content: null }, { turn, model, fault });
    const whole = isMessages ? messageBody(completion) : completion;
    const toEvents = isMessages ? messageEvents : chatEvents;
    const events = body['stream'] === true ? toEvents(whole) : null;
    answerWith(outgoing, { body: whole, events }, fault);
  }

  const address = await listen(server, options);
  return {
    url: `http://${address}/v1`,
    requests,
    get requestCount() {
      return requests.length;
    },
    arrived: (count) => waits.wait(`arrived ${count}`),
    abandoned: (number) => waits.wait(`abandoned ${number}`),
    close: () => close(server),
    [Symbol.asyncDispose]: () => close(server),
  };
}

type Server = ReturnType<typeof createServer>;

function listen(server: Server, options: ScriptedServerOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, options.host ?? '127.0.0.1', () => {
      server.off('error', reject);
      const address = server.address();
      if (address === null || typeof address === 'string') return;
      const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
      resolve(`${host}:${address.port}`);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // The only error of closing is that the server is closed already.
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of incoming) if (chunk instanceof Uint8Array) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): JsonValue {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch {
    // Recorded as null; the request is then refused.
    return null;
  }
}

function plainHeaders(incoming: IncomingMessage): { readonly [name: string]: string } {
  const entries = Object.entries(incoming.headers);
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value ?? '')]));
}

function isMessage(value: unknown): value is { readonly role: unknown } {
  return isPlainObject(value) && 'role' in value;
}

interface Waits {
  mark(event: string): void;
  wait(event: string): Promise<void>;
}

/** Events that happen once, and can be awaited before and after. */
function createWaits(): Waits {
  const happened = new Set<string>();
  const waiting = new Map<string, (() => void)[]>();
  return {
    mark(event) {
      happened.add(event);
      for (const wake of waiting.get(event) ?? []) wake();
      waiting.delete(event);
    },
    wait(event) {
      if (happened.has(event)) return Promise.resolve();
      return new Promise((resolve) => {
        waiting.set(event, [...(waiting.get(event) ?? []), resolve]);
      });
    },
  };
}
