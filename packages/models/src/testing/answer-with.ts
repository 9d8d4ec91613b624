import type { ServerResponse } from 'node:http';
import type { JsonObject, JsonValue } from '@millforge/contracts';
import type { ScriptedFault } from './scripted-fault.ts';

/** A reply as it goes out: one body, or the events of a stream. */
export interface Outgoing {
  /** The body of a whole reply. */
  readonly body: JsonObject;
  /** The texts of its events; null when none were asked for. */
  readonly events: readonly string[] | null;
}

/** Sends a reply the way a fault says; faults inside the body are in it already. */
export function answerWith(
  outgoing: ServerResponse,
  reply: Outgoing,
  fault: ScriptedFault | undefined,
): void {
  const body = JSON.stringify(reply.body);
  switch (fault?.kind) {
    case 'delay': {
      const timer = setTimeout(() => sendReply(outgoing, reply), fault.ms);
      outgoing.on('close', () => clearTimeout(timer));
      return;
    }
    case 'hang':
      return;
    case 'reset':
      outgoing.socket?.destroy();
      return;
    case 'status':
      if (fault.retryAfter !== undefined) outgoing.setHeader('retry-after', fault.retryAfter);
      if (fault.body !== undefined) return sendJson(outgoing, fault.status, fault.body);
      return sendError(outgoing, fault.status, fault.message ?? `Scripted status ${fault.status}.`);
    case 'redirect':
      outgoing.setHeader('location', fault.location);
      return send(outgoing, { status: 307, body: '' });
    case 'html':
      return send(outgoing, {
        status: fault.status ?? 200,
        contentType: 'text/html; charset=utf-8',
        body: '<!doctype html><title>Welcome</title><p>This is not an API.</p>',
      });
    case 'cut-body':
    case 'stall-body':
      if (reply.events !== null) return sendHalfStream(outgoing, reply.events, fault);
      return sendHalf(outgoing, body, fault.kind === 'cut-body');
    case 'error-event':
      return sendHalfStream(outgoing, reply.events ?? [], fault);
    case 'keep-alive':
      return sendEvents(
        outgoing,
        (reply.events ?? []).flatMap((event) => [': ping\n\n', event]),
      );
    case 'split-bytes':
      return sendEvents(outgoing, bytesOf(reply.events ?? []));
    case 'malformed-json':
      return send(outgoing, { body: body.slice(0, body.length / 2) });
    case 'content-type':
      return send(outgoing, { contentType: fault.contentType, body });
    case 'oversized':
      return sendOversized(outgoing, fault.bytes);
    case 'raw':
      for (const [name, value] of Object.entries(fault.headers ?? {})) {
        outgoing.setHeader(name, value);
      }
      return send(outgoing, { status: fault.status ?? 200, body: fault.body });
    case undefined:
    case 'arguments-object':
    case 'call-ids':
    case 'content-parts':
    case 'finish-reason':
    case 'malformed-arguments':
    case 'model-alias':
    case 'no-choices':
    case 'no-usage':
    case 'reasoning-object':
      // What is wrong stands in the reply itself.
      return sendReply(outgoing, reply);
  }
}

function sendReply(outgoing: ServerResponse, { body, events }: Outgoing): void {
  if (events === null) send(outgoing, { body: JSON.stringify(body) });
  else sendEvents(outgoing, events);
}

function sendEvents(outgoing: ServerResponse, events: readonly (string | Uint8Array)[]): void {
  outgoing.writeHead(200, STREAM);
  for (const event of events) outgoing.write(event);
  outgoing.end();
}

function sendHalfStream(
  outgoing: ServerResponse,
  events: readonly string[],
  fault: Extract<ScriptedFault, { kind: 'cut-body' | 'stall-body' | 'error-event' }>,
): void {
  outgoing.writeHead(200, STREAM);
  for (const event of events.slice(0, events.length / 2)) outgoing.write(event);
  switch (fault.kind) {
    case 'cut-body':
      outgoing.write(': cut\n\n', () => outgoing.socket?.destroy());
      return;
    case 'stall-body':
      return;
    case 'error-event': {
      const { error = { type: 'overloaded_error', message: 'Overloaded.' } } = fault;
      outgoing.end(`event: error\ndata: ${JSON.stringify({ type: 'error', error })}\n\n`);
    }
  }
}

function bytesOf(events: readonly string[]): readonly Uint8Array[] {
  const bytes = Buffer.from(events.join(''));
  return Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
}

const STREAM = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' };

/** Sends a JSON value. */
export function sendJson(outgoing: ServerResponse, status: number, value: JsonValue): void {
  send(outgoing, { status, body: JSON.stringify(value) });
}

/** Sends an error in the shape of the API. */
export function sendError(outgoing: ServerResponse, status: number, message: string): void {
  sendJson(outgoing, status, { error: { message, type: 'scripted', code: null } });
}

function send(
  outgoing: ServerResponse,
  answer: {
    readonly status?: number;
    readonly contentType?: string | null;
    readonly body: string | Uint8Array;
  },
): void {
  const { contentType = 'application/json' } = answer;
  if (contentType !== null && !outgoing.hasHeader('content-type')) {
    outgoing.setHeader('content-type', contentType);
  }
  outgoing.statusCode = answer.status ?? 200;
  outgoing.end(answer.body);
}

function sendHalf(outgoing: ServerResponse, body: string, isCut: boolean): void {
  const bytes = Buffer.from(body);
  outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length });
  outgoing.write(bytes.subarray(0, bytes.length / 2), () => {
    if (isCut) outgoing.socket?.destroy();
  });
}

function sendOversized(outgoing: ServerResponse, bytes: number): void {
  outgoing.writeHead(200, { 'content-type': 'application/json' });
  outgoing.write('{"choices":[{"message":{"content":"');
  let left = bytes;
  const more = (): void => {
    while (left > 0) {
      left -= CHUNK.length;
      if (!outgoing.write(CHUNK)) {
        outgoing.once('drain', more);
        return;
      }
    }
    outgoing.end('"}}]}');
  };
  more();
}

const CHUNK = 'x'.repeat(16 * 1024);
