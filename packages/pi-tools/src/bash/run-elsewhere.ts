import type { CommandRunner } from './command-runner.ts';
import type { Command, CommandEnd } from './run-command.ts';

/** Runs a command through the runner of the host, which is waited for a bounded time after a stop. */
export async function runElsewhere(runner: CommandRunner, command: Command): Promise<CommandEnd> {
  const { clock, output, signal } = command;
  const timers = new AbortController();
  const stop = new AbortController();
  command.onEffect('before-effect');
  const running = runner({
    command: command.command,
    folder: command.folder,
    environment: command.environment,
    signal: AbortSignal.any([signal, stop.signal]),
    write: (chunk) => output.add(Buffer.from(chunk)),
  }).then(
    ({ exitCode: code, signal: by }): CommandEnd => ({
      kind: 'exited',
      code,
      signal: by,
      isStillWriting: false,
      group: null,
    }),
    (error: unknown): CommandEnd => ({ kind: 'not-started', error: asError(error) }),
  );
  command.onEffect('after-effect');
  try {
    const first = await Promise.race([running, stopOf(command, timers.signal)]);
    if (typeof first !== 'string') return first;
    stop.abort();
    const settled = await Promise.race([running, clock.delay(SETTLE_MS, timers.signal)]);
    return { kind: 'stopped', why: first, isGone: settled !== undefined };
  } finally {
    timers.abort();
  }
}

function stopOf(command: Command, timers: AbortSignal): Promise<'timeout' | 'aborted'> {
  return new Promise((settle) => {
    const aborted = () => settle('aborted');
    if (command.signal.aborted) aborted();
    command.signal.addEventListener('abort', aborted, { once: true, signal: timers });
    if (command.timeoutMs === null) return;
    command.clock.delay(command.timeoutMs, timers).then(
      () => settle('timeout'),
      () => undefined,
    );
  });
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

const SETTLE_MS = 7000;
