import { isAbsolute } from 'node:path';
import { MillforgeError, unreachable } from '@millforge/contracts';
import type { AdmittedCommand } from './admitted-command.ts';
import { bindPaths } from './bound-paths.ts';
import { type BubblewrapHost, findBubblewrapHost } from './bubblewrap/bubblewrap-host.ts';
import { runBubblewrap } from './bubblewrap/run-bubblewrap.ts';
import { runContainer } from './container/run-container.ts';
import { runProcess } from './process/run-process.ts';
import { callFunction } from './quickjs/call-function.ts';
import { quickJsContainment } from './quickjs/quickjs-containment.ts';
import { createQuickJsPool, type QuickJsPool } from './quickjs/quickjs-pool.ts';
import type { RunSurroundings } from './run-surroundings.ts';
import type { CommandTier, Sandbox, SandboxOptions, TierReport } from './sandbox.ts';
import { DEFAULT_CEILING, resolveLimits } from './sandbox-limits.ts';
import type { SandboxCallOptions, SandboxCommand } from './sandbox-request.ts';
import type { CommandResult, SandboxRefused, SandboxUnavailable } from './sandbox-result.ts';

/**
 * Makes a sandbox. Synchronous and free of effects: what the host has is looked up, and the first process
 * started, by the first run. Whoever makes one disposes of it.
 *
 * Where a tier cannot hold what it promises the result is `unavailable`; a weaker one is never taken instead.
 */
export function createSandbox(options: SandboxOptions): Sandbox {
  const { clock, ids } = options;
  const tier: CommandTier = options.commandTier ?? { kind: 'bubblewrap' };
  const ceiling = Object.freeze({ ...DEFAULT_CEILING, ...options.ceiling });
  let isClosed = false;
  let host: Promise<BubblewrapHost | string> | null = null;
  let engine: Promise<QuickJsPool> | null = null;
  const findHost = (): Promise<BubblewrapHost | string> => {
    host ??= findBubblewrapHost(tier.kind === 'bubblewrap' ? tier.program : undefined, clock);
    return host;
  };
  // The number of this process tells later ones which groups nobody needs any more.
  const newName = (): string => `millforge-${process.pid}-${ids.newId('run').replaceAll('_', '-')}`;
  const cleaning = new Set<Promise<void>>();
  const later = (work: Promise<void>): void => {
    const settled = work.finally(() => cleaning.delete(settled));
    cleaning.add(settled);
  };
  const closing = new AbortController();
  const surroundings = ({ signal }: SandboxCallOptions): RunSurroundings => ({
    clock,
    newName,
    signal: signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal]),
    later,
  });
  const openPool = async (): Promise<QuickJsPool> => {
    const found = await findHost();
    const walls = typeof found === 'string' ? null : found;
    const size = options.warmProcesses ?? 2;
    return createQuickJsPool({ clock, newName, walls, size });
  };
  const assertOpen = (): void => {
    if (isClosed) throw new MillforgeError('sandbox/closed', 'This sandbox was disposed of.');
  };

  return {
    ceiling,

    async call(call, callOptions = {}) {
      assertOpen();
      if (process.platform === 'win32') return UNSUPPORTED;
      const limits = resolveLimits(call.limits, ceiling);
      if (typeof limits === 'string') return refusedLimits(limits);
      engine ??= openPool();
      const pool = await engine;
      const walls = await findHost();
      const isWalled = typeof walls !== 'string';
      const isFiltered = isWalled && walls.filter !== null;
      const table = quickJsContainment({ isWalled, isFiltered });
      return callFunction({ pool, table }, { call, limits }, surroundings(callOptions));
    },

    async run(command, callOptions = {}) {
      assertOpen();
      assertCommand(command);
      if (process.platform === 'win32') return UNSUPPORTED;
      const limits = resolveLimits(command.limits, ceiling);
      if (typeof limits === 'string') return refusedLimits(limits);
      const paths = await bindPaths(
        { readOnly: command.readOnlyPaths ?? [], writable: command.writablePaths ?? [] },
        options.hiddenPaths ?? [],
      );
      if (typeof paths === 'string') {
        return { kind: 'refused', reason: 'forbidden-path', message: paths };
      }
      const running = runIn({ command, limits, paths }, surroundings(callOptions));
      later(
        running.then(
          () => undefined,
          () => undefined,
        ),
      );
      return running;
    },

    async report() {
      const found = await findHost();
      const lack = typeof found === 'string' ? found : null;
      const walls = lack === null ? 'behind bubblewrap' : `without walls of its own: ${lack}`;
      const reports: TierReport[] = [
        { tier: 'quickjs', isAvailable: true, detail: `QuickJS in WebAssembly, ${walls}` },
      ];
      if (tier.kind === 'bubblewrap') {
        reports.push({
          tier: 'bubblewrap',
          isAvailable: lack === null,
          detail: typeof found === 'string' ? found : describeHost(found),
        });
      }
      if (tier.kind === 'container') {
        const end = await runIn(TRIAL, surroundings({}));
        // Also an image without the program has then made a container.
        const isAvailable = end.kind === 'exited';
        const detail = 'message' in end ? end.message : `containers of ${tier.runner.name}`;
        reports.push({ tier: 'container', isAvailable, detail });
      }
      if (tier.kind === 'process') {
        reports.push({ tier: 'process', isAvailable: true, detail: 'no boundary' });
      }
      return reports;
    },

    async [Symbol.asyncDispose]() {
      isClosed = true;
      closing.abort();
      const opened = engine;
      engine = null;
      await (await opened)?.close();
      // What ends now may leave something to clean in its turn.
      while (cleaning.size > 0) await Promise.all(cleaning);
    },
  };

  async function runIn(admitted: AdmittedCommand, around: RunSurroundings): Promise<CommandResult> {
    switch (tier.kind) {
      case 'bubblewrap': {
        const found = await findHost();
        if (typeof found === 'string') return { kind: 'unavailable', message: found };
        return runBubblewrap(found, admitted, around);
      }
      case 'container':
        return runContainer(tier.runner, admitted, around);
      case 'process':
        if (!tier.acceptsNoBoundary) return NO_BOUNDARY;
        return runProcess(admitted, around);
      default:
        return unreachable(tier, 'command tier');
    }
  }
}

function refusedLimits(message: string): SandboxRefused {
  return { kind: 'refused', reason: 'above-ceiling', message };
}

function describeHost({ program, groups, filter }: BubblewrapHost): string {
  const memory = groups === null ? 'no control groups' : `control groups ${groups.version}`;
  return `${program}, ${memory}, ${filter === null ? 'no' : 'a'} system call filter`;
}

function assertCommand({ command, folder, environment }: SandboxCommand): void {
  const texts = [...command, ...Object.entries(environment ?? {}).flat()];
  if (command.length === 0 || command[0] === '' || texts.some((text) => text.includes('\0'))) {
    throw new MillforgeError(
      'sandbox/invalid-request',
      'A command is a program and its arguments, without NUL characters.',
    );
  }
  if (folder !== undefined && !isAbsolute(folder)) {
    throw new MillforgeError('sandbox/invalid-request', `A folder is an absolute path: ${folder}`);
  }
  for (const name of Object.keys(environment ?? {})) {
    if (/^[A-Za-z_][A-Za-z0-9_]*$/u.test(name)) continue;
    throw new MillforgeError('sandbox/invalid-request', `No name of a variable: ${name}`);
  }
}

const UNSUPPORTED: SandboxUnavailable = {
  kind: 'unavailable',
  message:
    'Nothing is run on native Windows, where a process and its children cannot be ended for certain; use WSL.',
};
const NO_BOUNDARY: SandboxRefused = {
  kind: 'refused',
  reason: 'no-boundary',
  message: 'A process of this host is no sandbox; the host program has to accept that.',
};
const TRIAL: AdmittedCommand = {
  command: { command: ['true'] },
  limits: { ...DEFAULT_CEILING, timeoutMs: 60_000, memoryBytes: 64 * 2 ** 20, processes: 16 },
  paths: { bound: [], covered: [] },
};
