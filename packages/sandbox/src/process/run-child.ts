import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Clock } from '@millforge/contracts';
import { killGroup, type SpawnRequest, spawnChild } from './spawn-child.ts';

/** A child process with everything that bounds it from outside. */
export interface ChildRequest extends SpawnRequest {
  readonly input: Uint8Array;
  readonly timeoutMs: number;
  readonly outputBytes: number;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  readonly onOutput?: ((chunk: Uint8Array) => Promise<void>) | undefined;
  /** Gets what the child writes on descriptor 3, as it comes, and may end the child. */
  readonly onStatus?: (text: string, stop: (why: StopReason) => void) => void;
}

/** What the sandbox ends a child for. */
export type StopReason = 'time' | 'output' | 'memory' | 'aborted';

/** How a child ended. */
export interface ChildEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** What the sandbox ended it for. */
  readonly stopped: StopReason | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly status: string;
}

/**
 * Runs a child in a process group of its own until it ends, or one of time, output and signal ends it;
 * then the whole group is killed. An error is one of starting it.
 */
export async function runChild(request: ChildRequest): Promise<ChildEnd | Error> {
  const child = await spawnChild(request);
  if (child instanceof Error) return child;
  let stopped: ChildEnd['stopped'] = null;
  const stop = (why: StopReason): void => {
    stopped ??= why;
    killGroup(child);
  };
  const timers = new AbortController();
  const onAbort = (): void => stop('aborted');
  request.signal?.addEventListener('abort', onAbort, { once: true });
  if (request.signal?.aborted === true) stop('aborted');
  const counted = countOutput(request, () => stop('output'));
  const deadline = request.clock.delay(request.timeoutMs, timers.signal).then(
    () => stop('time'),
    () => undefined,
  );
  try {
    const exited = exitOf(child);
    child.stdin?.end(request.input);
    const reading = Promise.all([
      counted.read(readableOf(child.stdout), 'stdout'),
      counted.read(readableOf(child.stderr), 'stderr'),
      readStatus(readableOf(child.stdio[3]), (text) => request.onStatus?.(text, stop)),
    ]);
    const { code, signal } = await exited;
    // Whoever it left behind may hold its pipes; nobody reads them any longer than this.
    killGroup(child);
    const listening = request.clock.delay(LISTEN_MS, timers.signal).then(
      () => closeAll(child),
      () => undefined,
    );
    const [, , status] = await reading;
    timers.abort();
    await Promise.all([deadline, listening]);
    return { exitCode: code, signal, stopped, ...counted.texts(), status };
  } finally {
    timers.abort();
    request.signal?.removeEventListener('abort', onAbort);
    closeAll(child);
  }
}

function exitOf(
  child: ChildProcess,
): Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }> {
  return new Promise((settle) => {
    if (child.exitCode !== null || child.signalCode !== null) {
      settle({ code: child.exitCode, signal: child.signalCode });
    }
    child.once('exit', (code, signal) => settle({ code, signal }));
  });
}

function countOutput(request: ChildRequest, onFull: () => void) {
  const kept: Record<'stdout' | 'stderr', Uint8Array[]> = { stdout: [], stderr: [] };
  let left = request.outputBytes;
  return {
    async read(stream: Readable | null, name: 'stdout' | 'stderr'): Promise<void> {
      if (stream === null) return;
      try {
        for await (const piece of stream) {
          const chunk: Uint8Array = piece;
          const taken = chunk.subarray(0, left);
          left -= taken.length;
          if (request.onOutput !== undefined && taken.length > 0) await request.onOutput(taken);
          else if (taken.length > 0) kept[name].push(taken);
          if (taken.length < chunk.length) onFull();
        }
      } catch {
        // The pipe was closed from our side, since nothing more is wanted.
      }
    },
    texts: () => ({
      stdout: Buffer.concat(kept.stdout).toString('utf8'),
      stderr: Buffer.concat(kept.stderr).toString('utf8'),
    }),
  };
}

async function readStatus(
  stream: Readable | null,
  onStatus: (text: string) => void,
): Promise<string> {
  let text = '';
  if (stream === null) return text;
  try {
    for await (const piece of stream) {
      const chunk: Uint8Array = piece;
      if (text.length > STATUS_CHARACTERS) continue;
      text += Buffer.from(chunk).toString('utf8');
      onStatus(text);
    }
  } catch {
    // As above.
  }
  return text;
}

function readableOf(stream: unknown): Readable | null {
  // The types of `stdio` do not tell which end of a pipe is ours.
  return typeof stream === 'object' && stream !== null && 'read' in stream
    ? (stream as Readable)
    : null;
}

function closeAll(child: ChildProcess): void {
  for (const pipe of child.stdio) pipe?.destroy();
}

/** How long pipes are read that somebody holds after the end. */
const LISTEN_MS = 200;
const STATUS_CHARACTERS = 4096;
