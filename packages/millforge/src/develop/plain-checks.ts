import { spawn } from 'node:child_process';
import type { CheckRunner } from '@millforge/kernel/develop';
import { createTail } from './output-tail.ts';

/** Runs the command of a criterion as a process of the user: without a boundary, and says so. */
export function plainChecks(env: Readonly<Record<string, string | undefined>>): CheckRunner {
  const { PATH = '/usr/local/bin:/usr/bin:/bin' } = env;
  return ({ argv, directory, timeoutMs, signal }) =>
    new Promise((resolve, reject) => {
      const [program = '', ...rest] = argv;
      const child = spawn(program, rest, {
        cwd: directory,
        env: { PATH, HOME: directory, TMPDIR: directory, LANG: 'C.UTF-8' },
        stdio: ['ignore', 'pipe', 'pipe'],
        // A group of its own, so that it ends with all that it has started.
        detached: true,
      });
      const tail = createTail();
      let timedOut = false;
      const end = (): void => {
        if (child.pid === undefined) return;
        try {
          process.kill(-child.pid, 'SIGKILL');
        } catch (error) {
          const isGone = error instanceof Error && 'code' in error && error.code === 'ESRCH';
          if (!isGone) throw error;
        }
      };
      const timer = setTimeout(() => {
        timedOut = true;
        end();
      }, timeoutMs);
      const forget = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
      };
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
      child.stdout.on('data', tail.add);
      child.stderr.on('data', tail.add);
      child.on('error', (error) => {
        forget();
        reject(error);
      });
      // Whatever still holds the output open was started by the command, and ends with it.
      child.on('exit', end);
      child.on('close', (exitCode) => {
        forget();
        resolve({ exitCode, timedOut, output: tail.bytes(), boundary: null });
      });
    });
}
