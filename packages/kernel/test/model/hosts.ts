import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { manualClock } from '@millforge/contracts/testing';
import type { Kernel } from '@millforge/kernel';
import Database from 'better-sqlite3';
import { openKernelOn } from '../../src/open-kernel.ts';
import { randomIds } from '../fixture.ts';

/** How a process is lost: it dies, or it is silent and lives. */
export type Loss = 'dying' | 'freezing';

/** The processes on one file, one of them at work; time stands still unless somebody waits. */
export interface Hosts {
  /** The kernel at work. */
  readonly kernel: Kernel;
  /** Closes it and opens another one. */
  reopen(): Promise<void>;
  /** Takes its process away as it stands, and opens another one. */
  lose(how: Loss): Promise<void>;
  /** Lets time pass, in which leases expire, until something has ended. */
  passTimeUntil(end: Promise<unknown>): void;
  /** Ends the processes that are only silent. */
  buryFrozen(): void;
  /** Ends all. */
  close(): Promise<void>;
}

/** One process: a kernel, all that it has open, and whether it still wakes up. */
interface Host {
  readonly kernel: Kernel;
  readonly die: () => void;
  isFrozen: boolean;
}

/** Opens the first of them. */
export async function openHosts(directory: string): Promise<Hosts> {
  const time = manualClock();
  const open = async (): Promise<Host> => {
    const connections: Database.Database[] = [];
    const mind = { isFrozen: false };
    const kernel = await openKernelOn(
      (file, options) => {
        const connection = new Database(file, options);
        connections.push(connection);
        return connection;
      },
      {
        path: join(directory, 'trail.db'),
        ids: randomIds,
        clock: {
          now: () => time.now(),
          monotonicMs: () => time.monotonicMs(),
          async delay(ms, signal) {
            await time.delay(ms, signal);
            if (mind.isFrozen) await new Promise(() => undefined);
          },
        },
      },
    );
    return Object.assign(mind, {
      kernel,
      // What the system does to the files of a dead process: no statement runs, and every lock is free.
      die: () => {
        mind.isFrozen = true;
        for (const connection of connections) connection.close();
      },
    });
  };
  let host = await open();
  let frozen: Host[] = [];
  const buryFrozen = (): void => {
    for (const { die } of frozen) die();
    frozen = [];
  };
  return {
    get kernel() {
      return host.kernel;
    },
    async reopen() {
      await host.kernel[Symbol.asyncDispose]();
      host = await open();
    },
    async lose(how) {
      host.isFrozen = true;
      if (how === 'dying') host.die();
      else frozen.push(host);
      host = await open();
    },
    passTimeUntil(end) {
      const ended = new AbortController();
      const note = (): void => ended.abort();
      end.then(note, note);
      const pass = async (): Promise<void> => {
        while (!ended.signal.aborted) {
          time.advance(250);
          await turn();
        }
      };
      void pass();
    },
    buryFrozen,
    async close() {
      buryFrozen();
      await host.kernel[Symbol.asyncDispose]();
    },
  };
}
