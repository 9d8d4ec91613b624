import type { Readable } from 'node:stream';
import { createGunzip, createInflate } from 'node:zlib';
import type { Dispatcher } from 'undici';

/** An answer of the HTTP client in the form that `fetch` gives; a compressed body is unpacked as it is read. */
export function toResponse({
  statusCode,
  headers,
  body,
}: Pick<Dispatcher.ResponseData, 'statusCode' | 'headers' | 'body'>): Response {
  if (statusCode < 200 || statusCode > 599) {
    body.destroy();
    // No `Response` can have it. The code is in the manner of the parser, which lets such a status pass.
    throw Object.assign(new Error(`HTTP has no status ${statusCode}`), { code: 'HPE_NO_STATUS' });
  }
  const fields = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined) fields.append(name, one);
    }
  }
  const hasBody = statusCode !== 204 && statusCode !== 205 && statusCode !== 304;
  if (!hasBody) body.resume();
  const unpacked = unpack(body, fields);
  return new Response(hasBody ? bytesOf(unpacked) : null, { status: statusCode, headers: fields });
}

/** Servers compress only when they are asked to, and nobody asks; some gateways do it all the same. */
function unpack(body: Readable, fields: Headers): Readable {
  const encoding = fields.get('content-encoding')?.trim().toLowerCase();
  const unpacker =
    encoding === 'gzip' ? createGunzip() : encoding === 'deflate' ? createInflate() : null;
  if (unpacker === null) return body;
  fields.delete('content-encoding');
  fields.delete('content-length');
  body.on('error', (error) => unpacker.destroy(error));
  unpacker.on('close', () => body.destroy());
  return body.pipe(unpacker);
}

function bytesOf(body: Readable): ReadableStream<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done === true) controller.close();
      else if (value instanceof Uint8Array) controller.enqueue(value);
    },
    cancel() {
      body.destroy();
    },
  });
}
