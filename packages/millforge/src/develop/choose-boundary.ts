import type { CheckRunner } from '@millforge/kernel/develop';
import type { CommandRunner } from '@millforge/pi-tools';
import type { Sandbox } from '@millforge/sandbox';
import { createHostSandbox } from '../sandbox/create-host-sandbox.ts';
import { sandboxedCommands } from '../sandbox/sandboxed-commands.ts';
import { plainChecks } from './plain-checks.ts';
import { sandboxedChecks } from './sandboxed-checks.ts';

/** What keeps the commands of a development to their folders. */
export interface DevelopBoundary {
  /** Runs the commands of criteria. */
  readonly runCheck: CheckRunner;
  /** Whether something keeps commands to the folders that they are given. */
  readonly keepsCommands: boolean;
  /** Runs shell commands of the model; null for processes as the tool starts them. */
  readonly commandsOf: ((options: { readonly onlyReads: boolean }) => CommandRunner) | null;
  /** Frees what was made for it. */
  readonly close: () => Promise<void>;
}

/**
 * Takes the sandbox that is given, or bubblewrap where this host has it, and else plain processes, whose results say
 * that there was no boundary.
 */
export async function chooseBoundary(host: {
  readonly sandbox: Sandbox | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Paths that no command may see, whatever it is given. */
  readonly hiddenPaths: readonly string[];
}): Promise<DevelopBoundary> {
  const { sandbox, env, hiddenPaths } = host;
  if (sandbox !== undefined) {
    const tiers = await sandbox.report();
    const keepsCommands = tiers.some(({ tier, isAvailable }) => isAvailable && WALLS.has(tier));
    return { ...inside(sandbox, async () => {}), keepsCommands };
  }
  // How long a criterion may take is said by its contract.
  const own = createHostSandbox({ env, hiddenPaths, ceiling: { timeoutMs: DAY_MS } });
  const commands = (await own.report()).find(({ tier }) => tier === 'bubblewrap');
  if (commands?.isAvailable === true) return inside(own, async () => own[Symbol.asyncDispose]());
  await own[Symbol.asyncDispose]();
  return {
    runCheck: plainChecks(env),
    keepsCommands: false,
    commandsOf: null,
    close: async () => {},
  };
}

function inside(sandbox: Sandbox, close: () => Promise<void>): DevelopBoundary {
  return {
    runCheck: sandboxedChecks(sandbox),
    keepsCommands: true,
    commandsOf: (options) => sandboxedCommands(sandbox, options),
    close,
  };
}

/** Tiers that run commands and are more than a process. */
const WALLS: ReadonlySet<string> = new Set(['bubblewrap', 'container']);
const DAY_MS = 86_400_000;
