import { createInterface } from 'node:readline';
import type { JsonObject } from '@millforge/contracts';
import { killGroup, spawnChild } from '../process/spawn-child.ts';

/** A child process that carries QuickJS, ready for one call at a time. */
export interface QuickJsProcess {
  /** Sends a call and waits for its reply; null when the child ended without one. */
  perform(call: JsonObject): Promise<unknown>;
  /** Kills it; a call that waits gets null. */
  kill(): void;
  /** Resolves when it is gone. */
  readonly ended: Promise<void>;
}

/** Starts a child and waits until its engine is loaded; an error says why it does not. */
export async function startQuickJsProcess(start: {
  readonly argv: readonly [string, ...string[]];
  readonly handed: readonly Uint8Array[];
}): Promise<QuickJsProcess | Error> {
  const child = await spawnChild({ ...start, environment: {} });
  if (child instanceof Error) return child;
  let waiting: ((line: string | null) => void) | null = null;
  let said = '';
  const settle = (line: string | null): void => {
    const settleNow = waiting;
    waiting = null;
    settleNow?.(line);
  };
  const ended = new Promise<void>((done) => {
    child.once('close', () => {
      settle(null);
      done();
    });
  });
  child.stderr?.on('data', (chunk) => {
    if (said.length < STDERR_CHARACTERS) said += String(chunk);
  });
  // What bubblewrap says of its status nobody needs here, but it has to be able to say it.
  const status = child.stdio[3];
  if (status !== null && status !== undefined && 'resume' in status) status.resume();
  if (child.stdout !== null) createInterface({ input: child.stdout }).on('line', settle);
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  const next = (): Promise<string | null> =>
    isOver
      ? Promise.resolve(null)
      : new Promise((done) => {
          waiting = done;
        });
  const kill = (): void => {
    killGroup(child);
    for (const pipe of child.stdio) pipe?.destroy();
  };
  if ((await next()) === null) {
    kill();
    return new Error(said.trim().split('\n').at(-1) || 'it ended at once');
  }
  return {
    async perform(call) {
      const reply = next();
      child.stdin?.write(`${JSON.stringify(call)}\n`);
      const line = await reply;
      return line === null ? null : parse(line);
    },
    kill,
    ended,
  };
}

/** A child that was taken over by its code could say anything; what is no JSON is no reply. */
function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

const STDERR_CHARACTERS = 4096;
