import type { MillforgeError } from '@millforge/contracts';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { linkFault } from '../session/link-fault.ts';
import type { ServerProcess } from './server-process.ts';

/**
 * Carries messages over the pipes of a server, one on each line. A line that is no message is left out; a line
 * that is too long or no UTF-8 ends the connection.
 */
export function lineTransport(
  server: ServerProcess,
  options: {
    readonly maxMessageBytes: number;
    /** Told once why the connection was ended from here. */
    readonly onFault: (fault: MillforgeError) => void;
  },
): Transport {
  const { maxMessageBytes, onFault } = options;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let parts: Buffer[] = [];
  let size = 0;
  let strays = 0;
  let isClosed = false;

  const close = (): void => {
    if (isClosed) return;
    isClosed = true;
    server.stdout.removeListener('data', onData);
    parts = [];
    // What nobody reads any more must not fill the pipe of a server that is still to end.
    server.stdout.resume();
    void server.end();
    transport.onclose?.();
  };
  const fail = (fault: MillforgeError): void => {
    onFault(fault);
    transport.onerror?.(fault);
    close();
  };
  const onLine = (line: Buffer): void => {
    let text: string;
    try {
      text = decoder.decode(line);
    } catch {
      fail(linkFault('protocol', 'It said something that is no UTF-8.'));
      return;
    }
    if (text.trim() === '') return;
    const message = readMessage(text);
    if (message !== null) {
      transport.onmessage?.(message);
      return;
    }
    strays += 1;
    // Programs print a line now and then that was meant for people; one that does nothing else is no server.
    if (strays > MAX_STRAYS) fail(linkFault('protocol', 'It says too much that is no message.'));
  };
  const onData = (chunk: Buffer): void => {
    let rest = chunk;
    let end = rest.indexOf(NEWLINE);
    while (end !== -1) {
      parts.push(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
      const line = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
      parts = [];
      size = 0;
      if (line.length > maxMessageBytes) {
        fail(tooLong(maxMessageBytes));
        return;
      }
      onLine(line);
      if (isClosed) return;
      end = rest.indexOf(NEWLINE);
    }
    size += rest.length;
    if (size > maxMessageBytes) {
      fail(tooLong(maxMessageBytes));
      return;
    }
    if (rest.length > 0) parts.push(rest);
  };

  const transport: Transport = {
    async start() {
      server.stdout.on('data', onData);
      server.stdout.once('error', close);
      void server.exited.then(async () => {
        // What it said last is still in the pipe.
        if (!server.stdout.readableEnded && !server.stdout.destroyed) await ended(server.stdout);
        close();
      });
    },
    send(message) {
      return new Promise((resolve, reject) => {
        if (isClosed) {
          reject(linkFault('lost', 'The connection has ended.'));
          return;
        }
        server.stdin.write(`${JSON.stringify(message)}\n`, (error) => {
          if (error === null || error === undefined) resolve();
          else reject(linkFault('lost', 'It takes no messages any more.'));
        });
      });
    },
    async close() {
      close();
    },
  };
  return transport;
}

function tooLong(limit: number): MillforgeError {
  return linkFault('refused', `It sent a message of more than ${limit} bytes.`);
}

function readMessage(text: string): JSONRPCMessage | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('jsonrpc' in value)) return null;
    // What a message has to be is checked by the client, which answers to one that is wrong.
    return value as JSONRPCMessage;
  } catch {
    return null;
  }
}

function ended(stream: NodeJS.ReadableStream): Promise<void> {
  return new Promise((resolve) => {
    stream.once('end', resolve);
    stream.once('close', resolve);
  });
}

const NEWLINE = 0x0a;
const MAX_STRAYS = 1000;
