import type { ServerResponse } from 'node:http';
import type { JsonObject, JsonValue } from '@millforge/contracts';
import type { ScriptedFault } from './scripted-fault.ts';

/** Sends a completion the way a fault says; faults inside the body are in it already. */
export function answerWith(
  outgoing: ServerResponse,
  completion: JsonObject,
  fault: ScriptedFault | undefined,
): void {
  const body = JSON.stringify(completion);
  switch (fault?.kind) {
    case undefined:
    case 'malformed-arguments':
    case 'call-ids':
    case 'model-alias':
      return send(outgoing, { body });
    case 'delay': {
      const timer = setTimeout(() => send(outgoing, { body }), fault.ms);
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
      return sendHalf(outgoing, body, fault.kind === 'cut-body');
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
  }
}

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
