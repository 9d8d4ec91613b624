import { mkdtemp, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { containment, open, stopped } from '../containment.ts';
import type { RunSurroundings } from '../run-surroundings.ts';
import type { SandboxLimits } from '../sandbox-limits.ts';
import type { SandboxCommand } from '../sandbox-request.ts';
import type { CommandResult } from '../sandbox-result.ts';
import { type ChildEnd, runChild } from './run-child.ts';

/** Runs a command as a process of this host, with limits but without walls. */
export async function runProcess(
  { command, limits }: { readonly command: SandboxCommand; readonly limits: SandboxLimits },
  { clock, signal }: RunSurroundings,
): Promise<CommandResult> {
  const folder = await mkdtemp(join(tmpdir(), 'millforge-run-'));
  const begin = clock.monotonicMs();
  try {
    const end = await runChild({
      argv: ['/bin/sh', '-c', limitScript(limits, command), 'sh', ...command.command],
      folder: command.folder ?? folder,
      environment: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: folder, ...command.environment },
      input: Buffer.from(command.input ?? ''),
      timeoutMs: limits.timeoutMs,
      outputBytes: limits.outputBytes,
      clock,
      signal,
      onOutput: command.onOutput,
      handed: [],
    });
    if (end instanceof Error) {
      return { kind: 'unavailable', message: `The command does not start: ${end.message}` };
    }
    return describeEnd(end, clock.monotonicMs() - begin);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function limitScript(limits: SandboxLimits, { mergesOutput }: SandboxCommand): string {
  const blocks = Math.ceil(limits.diskBytes / 512);
  const data = Math.ceil(limits.memoryBytes / 1024);
  return `ulimit -c 0 && ulimit -f ${blocks} && { ulimit -d ${data} 2>/dev/null || :; } && exec "$@"${mergesOutput === true ? ' 2>&1' : ''}`;
}

function describeEnd(end: ChildEnd, durationMs: number): CommandResult {
  const run = { containment: TABLE, durationMs, stdout: end.stdout, stderr: end.stderr };
  if (end.stopped === 'aborted') return { kind: 'aborted', ...run };
  if (end.stopped !== null) return { kind: 'stopped', limit: end.stopped, ...run };
  if (end.signal === 'SIGXFSZ') return { kind: 'stopped', limit: 'disk', ...run };
  const exitCode = end.exitCode ?? 128 + (end.signal === null ? 0 : constants.signals[end.signal]);
  return { kind: 'exited', exitCode, limitsMet: [], ...run };
}

const TABLE = containment('process', {
  'read-host-files': open('does what the user of this process may do'),
  'write-host-files': open('does what the user of this process may do'),
  'read-environment': open(
    'its own is made anew, those of other processes of the user are readable',
  ),
  'see-host-processes': open('no process namespace'),
  'use-network': open('no network namespace'),
  'exhaust-processes': open('a limit would count every process of the user'),
  'exhaust-memory': open('at most each process by itself'),
  'exhaust-time': stopped('killed at the time limit'),
  'exhaust-output': stopped('killed at the output limit'),
  'exhaust-disk': open('each file by itself'),
  'leave-orphans': open('killed with its process group, which a process can leave'),
  'outlive-host': open('nothing ends it when the host is killed'),
  'forge-result': stopped('the exit status comes from the kernel'),
  'trace-others': open('may trace processes of the user'),
  'reach-rare-system-calls': open('no system call filter'),
});
