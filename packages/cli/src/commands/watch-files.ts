import { stat } from 'node:fs/promises';
import { systemCode } from '../cli-error.ts';
import type { CliHost } from '../output/terminal.ts';

/**
 * Does something now and again whenever one of the files has changed, until Ctrl-C; gives 130.
 *
 * The files are looked at by their paths several times a second, so that an editor that writes a new
 * file and renames it, a link that is turned, and a disk behind a network all count. A change is acted
 * on when two looks in a row see the same: a file that is still being written is waited for.
 */
export async function watchFiles(
  host: CliHost,
  paths: readonly string[],
  act: () => Promise<void>,
): Promise<number> {
  // Timers of the host keep no process alive, and a process that watches has nothing else that does.
  const alive = setInterval(nothing, MAX_TIMER_MS);
  let interrupt: () => void = nothing;
  const interrupted = new Promise<'interrupted'>((resolve) => {
    interrupt = () => resolve('interrupted');
  });
  const stop = host.onInterrupt(interrupt);
  try {
    for (;;) {
      // Looked at before acting: what changes meanwhile is acted on next.
      const before = await fingerprintOf(paths);
      const end = await Promise.race([interrupted, act()]);
      if (end === 'interrupted') return EXIT_INTERRUPTED;
      const change = waitForChange(host, paths, before);
      const next = await Promise.race([interrupted, change.seen]);
      change.stop();
      if (next === 'interrupted') return EXIT_INTERRUPTED;
    }
  } finally {
    stop();
    clearInterval(alive);
  }
}

function waitForChange(host: CliHost, paths: readonly string[], before: string) {
  let stop: () => void = nothing;
  const seen = new Promise<'changed'>((resolve) => {
    let last = before;
    let isLooking = false;
    stop = host.every(LOOK_MS, () => {
      if (isLooking) return;
      isLooking = true;
      void fingerprintOf(paths).then((now) => {
        isLooking = false;
        if (now !== before && now === last) resolve('changed');
        last = now;
      });
    });
  });
  return { seen, stop: () => stop() };
}

/** Tells a state of files from another by identity, size and times; never by reading them. */
async function fingerprintOf(paths: readonly string[]): Promise<string> {
  const states = paths.map(async (path) => {
    try {
      const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
      return [dev, ino, size, mtimeNs, ctimeNs].join(':');
    } catch (error) {
      return systemCode(error) ?? 'unknown';
    }
  });
  return (await Promise.all(states)).join('\n');
}

function nothing(): void {
  // Stands until there is something to call, or is called by a timer that only has to exist.
}

const LOOK_MS = 100;
const MAX_TIMER_MS = 2 ** 31 - 1;
const EXIT_INTERRUPTED = 130;
