import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AdmittedCommand } from '../admitted-command.ts';
import { type Containment, containment, open, stopped } from '../containment.ts';
import { type ChildEnd, runChild } from '../process/run-child.ts';
import type { RunSurroundings } from '../run-surroundings.ts';
import type { CommandResult } from '../sandbox-result.ts';
import type { ContainerRunner } from './container-runner.ts';

/** Runs a command in a container. */
export async function runContainer(
  runner: ContainerRunner,
  { command, limits, paths }: AdmittedCommand,
  { clock, signal, newName }: RunSurroundings,
): Promise<CommandResult> {
  if (paths.covered.length > 0) {
    const message = `${paths.covered[0]?.path} is never seen by a sandbox, and a container cannot cover it; bind less.`;
    return { kind: 'refused', reason: 'forbidden-path', message };
  }
  const name = newName();
  const words =
    command.mergesOutput === true
      ? ['/bin/sh', '-c', 'exec "$@" 2>&1', 'sh', ...command.command]
      : command.command;
  const { argv, environment } = runner.start({
    name,
    command: words,
    folder: command.folder ?? '/tmp',
    environment: command.environment ?? {},
    bound: paths.bound,
    limits,
  });
  // Engines leave files where they are started, such as a mark that memory ran out.
  const started = await mkdtemp(join(tmpdir(), 'millforge-engine-'));
  const begin = clock.monotonicMs();
  try {
    const end = await runChild({
      argv,
      folder: started,
      environment,
      input: Buffer.from(command.input ?? ''),
      timeoutMs: limits.timeoutMs,
      outputBytes: limits.outputBytes,
      clock,
      signal,
      onOutput: command.onOutput,
      handed: [],
    });
    if (end instanceof Error) {
      return { kind: 'unavailable', message: `${runner.name} does not start: ${end.message}` };
    }
    const isOutOfMemory =
      end.stopped === null &&
      end.exitCode === KILLED &&
      (await ask(runner, name, clock)) === 'true';
    const table = containerTable(
      runner,
      paths.bound.some(({ isWritable }) => isWritable),
    );
    const durationMs = clock.monotonicMs() - begin;
    return describeEnd(end, { runner, isOutOfMemory, table, durationMs });
  } finally {
    await engineCommand(runner, { argv: runner.remove(name), clock });
    await rm(started, { recursive: true, force: true });
  }
}

function describeEnd(
  end: ChildEnd,
  facts: {
    readonly runner: ContainerRunner;
    readonly isOutOfMemory: boolean;
    readonly table: Containment;
    readonly durationMs: number;
  },
): CommandResult {
  const { durationMs, table } = facts;
  const run = { containment: table, durationMs, stdout: end.stdout, stderr: end.stderr };
  if (end.stopped === 'aborted') return { kind: 'aborted', ...run };
  if (end.stopped !== null) return { kind: 'stopped', limit: end.stopped, ...run };
  if (facts.isOutOfMemory) return { kind: 'stopped', limit: 'memory', ...run };
  if (end.exitCode === ENGINE_FAILED) {
    const said = end.stderr.trim().split('\n').at(-1) ?? '';
    return { kind: 'unavailable', message: `${facts.runner.name} makes no container: ${said}` };
  }
  if (end.exitCode === FILE_TOO_LARGE) return { kind: 'stopped', limit: 'disk', ...run };
  if (end.exitCode === null) return { kind: 'crashed', message: 'The engine was killed.', ...run };
  return { kind: 'exited', exitCode: end.exitCode, limitsMet: [], ...run };
}

async function ask(
  runner: ContainerRunner,
  name: string,
  clock: RunSurroundings['clock'],
): Promise<string> {
  const end = await engineCommand(runner, { argv: runner.wasOutOfMemory(name), clock });
  return end instanceof Error ? '' : end.stdout.trim();
}

function engineCommand(
  runner: ContainerRunner,
  { argv, clock }: Pick<Parameters<typeof runChild>[0], 'argv' | 'clock'>,
): Promise<ChildEnd | Error> {
  return runChild({
    argv,
    environment: runner.environment,
    input: new Uint8Array(),
    timeoutMs: ENGINE_MS,
    outputBytes: ENGINE_BYTES,
    clock,
    signal: undefined,
    handed: [],
  });
}

function containerTable(runner: ContainerRunner, hasWritable: boolean): Containment {
  return containment('container', {
    'read-host-files': stopped('only the image and the bound paths are there'),
    'write-host-files': stopped('all but writable bound paths is read-only'),
    'read-environment': stopped('the environment is made anew'),
    'see-host-processes': stopped('process namespace'),
    'use-network': stopped('no network but an own loopback'),
    'exhaust-processes': stopped('limit of the engine'),
    'exhaust-memory': stopped('limit of the engine'),
    'exhaust-time': stopped('killed at the time limit'),
    'exhaust-output': stopped('killed at the output limit'),
    'exhaust-disk': hasWritable
      ? open('private folders are bounded as a whole, bound paths file by file')
      : stopped('private folders of bounded size'),
    'leave-orphans': stopped('removed with all of its processes'),
    'outlive-host': runner.endsAlone
      ? open('goes on when the host is killed, and ends at its time limit')
      : open('goes on when the host is killed'),
    'forge-result': stopped('the exit status is told by the engine'),
    'trace-others': stopped('process namespace'),
    'reach-rare-system-calls': open('as the engine is set up'),
  });
}

const KILLED = 137;
/** The code by which engines tell their own failures. */
const ENGINE_FAILED = 125;
const FILE_TOO_LARGE = 153;
const ENGINE_MS = 30_000;
const ENGINE_BYTES = 65_536;
