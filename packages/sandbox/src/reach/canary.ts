import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ids } from '@millforge/contracts';

/** Things of the host that a probe tries to reach, watched from outside. */
export interface Canary extends AsyncDisposable {
  /** A file that holds the secret. */
  readonly file: string;
  /** What it holds. */
  readonly secret: string;
  /** A place where nothing is yet. */
  readonly written: string;
  /** Port of a listener on the loopback. */
  readonly port: number;
  /** Whether something was left at the place. */
  wasWritten(): Promise<boolean>;
  /** Whether somebody connected. */
  wasConnected(): boolean;
}

/** Puts out a file, a place and a listener; whoever does disposes of them. */
export async function createCanary(ids: Ids): Promise<Canary> {
  const folder = await mkdtemp(join(tmpdir(), 'millforge-canary-'));
  const file = join(folder, 'secret');
  const written = join(folder, 'written');
  const secret = ids.newId('canary');
  await writeFile(file, `${secret}\n`);
  let isConnected = false;
  const server = createServer((socket) => {
    isConnected = true;
    socket.destroy();
  });
  await new Promise<void>((done, fail) => {
    server.once('error', fail);
    server.listen(0, '127.0.0.1', done);
  });
  const address = server.address();
  return {
    file,
    secret,
    written,
    port: typeof address === 'object' && address !== null ? address.port : 0,
    wasWritten: () =>
      readFile(written).then(
        () => true,
        () => false,
      ),
    wasConnected: () => isConnected,
    async [Symbol.asyncDispose]() {
      await new Promise((done) => server.close(done));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
