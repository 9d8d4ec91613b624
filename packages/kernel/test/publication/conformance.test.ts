import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { canonicalJson } from '@millforge/contracts';
import { httpPublisher, type LocalFault, localPublisher } from '@millforge/kernel/publication';
import { type PublisherSubject, publisherConformance } from '@millforge/kernel/testing';
import { describe, test } from 'vitest';
import { linesOf } from '../crash/scenario.ts';
import { randomIds, systemClock, temporaryDirectory } from '../fixture.ts';
import { gitWorld, update } from './git-world.ts';

describe('the local publisher', () => {
  publisherConformance({
    test,
    open() {
      const directory = temporaryDirectory();
      let fault: LocalFault | null = null;
      const give = (next: LocalFault) => (): void => {
        fault = next;
      };
      return {
        publisher: localPublisher({
          directory,
          ids: randomIds,
          now: () => systemClock.now(),
          fault: () => fault,
        }),
        bytes: Buffer.from('{"a":1}\n'),
        // What is lost here is lost for good, and not even a connection ends.
        patienceMs: 200,
        applied: () => linesOf(join(directory, 'applied')).length,
        loseAnswer: give('lost-response'),
        loseRequest: give('lost-request'),
        refuse: give('refusal'),
        close: () => undefined,
      };
    },
  });
});

describe('the git publisher', () => {
  publisherConformance({
    test,
    open(): PublisherSubject {
      const { bare, commits, applied, cut, publisher } = gitWorld();
      const real = publisher();
      return {
        publisher: {
          ...real,
          publish: (request) => real.publish(request).finally(() => cut('whole')),
        },
        bytes: Buffer.from(canonicalJson({ ...update(commits.first, commits.second) })),
        applied,
        loseAnswer: () => cut('after'),
        loseRequest: () => cut('before'),
        refuse: () =>
          writeFileSync(join(bare, 'hooks', 'update'), '#!/bin/sh\nexit 1\n', { mode: 0o755 }),
        close: () => undefined,
      };
    },
  });
});

describe('the HTTP publisher', () => {
  publisherConformance({ test, open: openHttp });
});

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function openHttp(): Promise<PublisherSubject> {
  const applied = new Set<string>();
  let how: 'answer' | 'lost-answer' | 'lost-request' | 'refuse' = 'answer';
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const id = String(request.headers['idempotency-key'] ?? request.url?.slice(1));
    if (request.method === 'GET') {
      if (applied.has(id)) answer(response, 200, { operation_id: id, state: 'applied' });
      else answer(response, 404, {});
      return;
    }
    request.resume().on('end', () => {
      if (how === 'refuse') {
        answer(response, 422, { error: 'no' });
        return;
      }
      if (how !== 'lost-request') applied.add(id);
      if (how === 'answer') answer(response, 201, { operation_id: id });
      else response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  return {
    publisher: httpPublisher({
      url: `${origin}/publish`,
      statusUrl: (id) => `${origin}/${id}`,
      fetch: globalThis.fetch,
      now: () => systemClock.now(),
    }),
    bytes: Buffer.from('{"a":1}\n'),
    applied: () => applied.size,
    loseAnswer: () => {
      how = 'lost-answer';
    },
    loseRequest: () => {
      how = 'lost-request';
    },
    refuse: () => {
      how = 'refuse';
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
