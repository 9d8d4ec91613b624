import type { AdmittedCommand } from '../admitted-command.ts';
import type { Containment } from '../containment.ts';
import { type ChildEnd, type ChildRequest, runChild } from '../process/run-child.ts';
import type { RunSurroundings } from '../run-surroundings.ts';
import type { SandboxLimit } from '../sandbox-limits.ts';
import type { CommandResult } from '../sandbox-result.ts';
import { bubblewrapCall } from './bubblewrap-arguments.ts';
import { bubblewrapContainment } from './bubblewrap-containment.ts';
import type { BubblewrapHost } from './bubblewrap-host.ts';
import { type ControlGroup, createControlGroup } from './control-group.ts';
import { type DiskWatch, watchDisk } from './watch-disk.ts';
import { watchMemory } from './watch-memory.ts';

/** Runs a command in namespaces of its own. */
export async function runBubblewrap(
  host: BubblewrapHost,
  admitted: AdmittedCommand,
  surroundings: RunSurroundings,
): Promise<CommandResult> {
  const { limits } = admitted;
  const { clock } = surroundings;
  const name = surroundings.newName();
  const group = host.groups && (await createControlGroup(host.groups, { name, limits, clock }));
  if (host.groups !== null && group === null) {
    return { kind: 'unavailable', message: 'The control group of the run could not be made.' };
  }
  const begin = clock.monotonicMs();
  try {
    const disk = watchDisk(limits.diskBytes, clock);
    const request = childRequest(host, { ...admitted, group }, surroundings);
    const end = await runWatched(request, { disk, group, memoryBytes: limits.memoryBytes });
    if (end instanceof Error) {
      return { kind: 'unavailable', message: `bwrap does not start: ${end.message}` };
    }
    const met = [...((await group?.limitsMet()) ?? []), ...(await disk.limitsMet())];
    const table = tableOf(host, admitted, group);
    return describeEnd(end, { met, table, durationMs: clock.monotonicMs() - begin });
  } finally {
    // Its members are dead, but the kernel takes a moment to take them down.
    if (group !== null) surroundings.later(group.remove());
  }
}

/** Runs a child under the watches that its walls need. */
async function runWatched(
  request: ChildRequest,
  run: {
    readonly disk: DiskWatch;
    readonly group: ControlGroup | null;
    readonly memoryBytes: number;
  },
): Promise<ChildEnd | Error> {
  const memory = run.group === null ? watchMemory(run.memoryBytes, request.clock) : null;
  const end = await runChild({
    ...request,
    onStatus(text, stop) {
      run.disk.onStatus(text);
      memory?.onStatus(text, () => stop('memory'));
    },
  });
  await memory?.end();
  return end;
}

function childRequest(
  host: BubblewrapHost,
  run: AdmittedCommand & { readonly group: ControlGroup | null },
  surroundings: RunSurroundings,
): ChildRequest {
  const { command, limits, paths, group } = run;
  const { argv, options } = bubblewrapCall({
    program: host.program,
    system: host.system,
    limits,
    paths,
    folder: command.folder ?? '/tmp',
    environment: command.environment ?? {},
    command: command.command,
    mergesOutput: command.mergesOutput ?? false,
    isFiltered: host.filter !== null,
    boundsEachProcess: group === null,
    memberFiles: group?.memberFiles ?? [],
  });
  return {
    argv,
    environment: {},
    input: Buffer.from(command.input ?? ''),
    timeoutMs: limits.timeoutMs,
    outputBytes: limits.outputBytes,
    clock: surroundings.clock,
    signal: surroundings.signal,
    onOutput: command.onOutput,
    handed: [options, ...(host.filter === null ? [] : [host.filter])],
  };
}

function tableOf(
  host: BubblewrapHost,
  { command }: AdmittedCommand,
  group: ControlGroup | null,
): Containment {
  return bubblewrapContainment({
    hasGroup: group !== null,
    isFiltered: host.filter !== null,
    hasReadable: (command.readOnlyPaths ?? []).length > 0,
    hasWritable: (command.writablePaths ?? []).length > 0,
  });
}

interface Circumstances {
  readonly met: readonly SandboxLimit[];
  readonly table: Containment;
  readonly durationMs: number;
}

function describeEnd(end: ChildEnd, { met, table, durationMs }: Circumstances): CommandResult {
  const { stdout, stderr, stopped } = end;
  const run = { containment: table, durationMs, stdout, stderr };
  if (stopped === 'aborted') return { kind: 'aborted', ...run };
  if (stopped !== null) return { kind: 'stopped', limit: stopped, ...run };
  const exitCode = exitCodeIn(end.status);
  if (exitCode === null) {
    // The kernel may have taken bubblewrap itself, when its group was full.
    if (met.includes('memory')) return { kind: 'stopped', limit: 'memory', ...run };
    const said = stderr.trim().split('\n').at(-1) ?? '';
    return { kind: 'crashed', message: said || 'bwrap ended without a status.', ...run };
  }
  if (exitCode === KILLED && met.includes('memory')) {
    return { kind: 'stopped', limit: 'memory', ...run };
  }
  if (exitCode === FILE_TOO_LARGE) return { kind: 'stopped', limit: 'disk', ...run };
  return { kind: 'exited', exitCode, limitsMet: met, ...run };
}

/** What bubblewrap says of the first process; its own failures have no such line. */
function exitCodeIn(status: string): number | null {
  const found = /"exit-code": (?<code>\d+)/u.exec(status)?.groups?.['code'];
  return found === undefined ? null : Number(found);
}

const KILLED = 137;
/** 128 and the number of SIGXFSZ. */
const FILE_TOO_LARGE = 153;
