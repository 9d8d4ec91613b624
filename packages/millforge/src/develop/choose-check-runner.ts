import type { CheckRunner } from '@millforge/kernel/develop';
import type { Sandbox } from '@millforge/sandbox';
import { createHostSandbox } from '../sandbox/create-host-sandbox.ts';
import { plainChecks } from './run-plain-check.ts';
import { sandboxedChecks } from './sandboxed-checks.ts';

/** How criteria are checked, and what ends it. */
export interface ChosenCheckRunner {
  /** Runs commands. */
  readonly runCheck: CheckRunner;
  /** Frees what was made for it. */
  readonly close: () => Promise<void>;
}

/**
 * Takes the sandbox that is given, or bubblewrap where this host has it, and else plain processes, whose results say
 * that there was no boundary.
 */
export async function chooseCheckRunner(host: {
  readonly sandbox: Sandbox | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}): Promise<ChosenCheckRunner> {
  const { sandbox, env } = host;
  if (sandbox !== undefined) return { runCheck: sandboxedChecks(sandbox), close: async () => {} };
  const own = createHostSandbox({ env });
  const [commands] = (await own.report()).filter(({ tier }) => tier === 'bubblewrap');
  if (commands?.isAvailable === true) {
    return { runCheck: sandboxedChecks(own), close: async () => own[Symbol.asyncDispose]() };
  }
  await own[Symbol.asyncDispose]();
  return { runCheck: plainChecks(env), close: async () => {} };
}
