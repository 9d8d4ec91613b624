import {
  type CommandResult,
  createSandbox,
  type Sandbox,
  type SandboxExited,
  type SandboxOptions,
} from '@millforge/sandbox';
import { expect, onTestFinished, type TestContext } from 'vitest';
import { clock, ids } from './real-clock.ts';

/** A sandbox that is disposed of with its test. */
export function sandbox(options: Partial<SandboxOptions> = {}): Sandbox {
  const made = createSandbox({ clock, ids, ...options });
  onTestFinished(() => made[Symbol.asyncDispose]());
  return made;
}

/** Skips a test where a tier does not work here; where it is required that is a failure. */
export async function need(
  { skip }: Pick<TestContext, 'skip'>,
  made: Sandbox,
  requirement: 'sandbox' | 'podman',
): Promise<void> {
  const report = (await made.report()).at(-1);
  if (report?.isAvailable === true) return;
  const required = (process.env['MILLFORGE_REQUIRE'] ?? '').split(',');
  expect(required, report?.detail).not.toContain(requirement);
  skip(report?.detail ?? 'no such tier');
}

/** Waits for what the kernel does in its own time. */
export async function eventually(holds: () => boolean | Promise<boolean>): Promise<boolean> {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (await holds()) return true;
    await clock.delay(10);
  }
  return false;
}

/** Takes it that a command ended by itself. */
export function exited(result: CommandResult): SandboxExited {
  if (result.kind !== 'exited') expect(result).toEqual({ kind: 'exited' });
  // The line above has failed otherwise.
  return result as SandboxExited;
}
