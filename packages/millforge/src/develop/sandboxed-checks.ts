import { dirname } from 'node:path';
import type { CheckRunner } from '@millforge/kernel/develop';
import type { Sandbox } from '@millforge/sandbox';
import { createTail } from './output-tail.ts';

/**
 * Runs the command of a criterion in a sandbox: it sees the system, its copies and the program that runs this, changes
 * its copies only, and has no network.
 */
export function sandboxedChecks(sandbox: Sandbox): CheckRunner {
  return async ({ argv, directory, checks, timeoutMs, signal }) => {
    const [program = '', ...rest] = argv;
    const tail = createTail();
    const result = await sandbox.run(
      {
        command: [program, ...rest],
        folder: directory,
        environment: { HOME: '/tmp', TMPDIR: '/tmp', LANG: 'C.UTF-8' },
        writablePaths: checks === null ? [directory] : [directory, checks],
        readOnlyPaths: [dirname(dirname(process.execPath))],
        limits: {
          ...sandbox.ceiling,
          timeoutMs: Math.min(timeoutMs, sandbox.ceiling.timeoutMs),
        },
        mergesOutput: true,
        onOutput: async (chunk) => tail.add(chunk),
      },
      { signal },
    );
    if (!('containment' in result)) throw new Error(result.message);
    const isLate = result.kind === 'stopped' && result.limit === 'time';
    if (isLate && timeoutMs > sandbox.ceiling.timeoutMs) {
      // It had less time than it may have, which says nothing about what it checks.
      throw new Error(
        `The sandbox ends commands after ${sandbox.ceiling.timeoutMs} ms, and this criterion may take ${timeoutMs} ms; raise the ceiling of the sandbox, or lower timeout_ms.`,
      );
    }
    if (result.kind === 'stopped') {
      tail.add(Buffer.from(`\n[The sandbox ended it: limit of ${result.limit}.]\n`));
    }
    return {
      exitCode: result.kind === 'exited' ? result.exitCode : null,
      timedOut: isLate,
      output: tail.bytes(),
      boundary: result.containment.tier === 'process' ? null : result.containment.tier,
    };
  };
}
