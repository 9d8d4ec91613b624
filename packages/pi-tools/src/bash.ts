import { accessSync, existsSync, constants as modes } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type JsonObject,
  sha256,
  type Tool,
  type ToolErrorCode,
  type ToolResult,
  type ToolRunContext,
} from '@millforge/contracts';
import { describeOutput, MAX_LINE_BYTES, type ShownOutput } from './bash/describe-output.ts';
import { endGroup, endProcesses } from './bash/end-processes.ts';
import { openOutputLog } from './bash/output-log.ts';
import { findCallProcesses, isCallAlive } from './bash/process-table.ts';
import { type Command, type CommandEnd, DRAIN_MS, runCommand } from './bash/run-command.ts';
import { runElsewhere } from './bash/run-elsewhere.ts';
import { shapeCommand } from './bash/shape-command.ts';
import { CALL_KEY } from './bash/shell-environment.ts';
import { watchOutput } from './bash/watch-output.ts';
import { CALL_SECONDS, definePiTool } from './define-pi-tool.ts';
import type { PiToolOptions } from './pi-tool-options.ts';
import { type ProfileSwitches, profileSwitches } from './profile.ts';
import { optionalNumber, stringArgument } from './tool-arguments.ts';
import { answering, errnoOf, refusing, toolFault } from './tool-fault.ts';

/** Makes the tool that runs shell commands in the workspace. */
export function bashTool(options: PiToolOptions): Tool {
  const profile = profileSwitches(options.profile);
  return definePiTool({
    name: 'bash',
    description:
      'Run a bash command in the workspace folder. Gives stdout and stderr together, the last 2000 lines or 50KB; longer output is kept in a file that the result names. timeout is in seconds. Nothing is remembered between calls: no folder, no variables.',
    properties: { command: { type: 'string' }, timeout: { type: 'number' } },
    required: ['command'],
    results: { exit_code: { type: 'integer' } },
    sideEffect: 'process_execution',
    idempotency: 'non_idempotent',
    capabilities: ['unrestricted.process.execute'],
    reach: (input) => ({ commands: [stringArgument(input, 'command')] }),
    check(input) {
      if (stringArgument(input, 'command').includes('\0')) {
        const message = 'A command must not contain a NUL character; write \\0 for one.';
        return { kind: 'refused', code: 'invalid_arguments', message };
      }
      const timeout = optionalNumber(input, 'timeout');
      // What is no number sets no limit.
      if (timeout === null || !(timeout > MAX_TIMEOUT_SECONDS)) return null;
      const message = `Invalid timeout: ${timeout}. It is in seconds and at most ${MAX_TIMEOUT_SECONDS}.`;
      return { kind: 'refused', code: 'invalid_arguments', message };
    },
    prepare: (input, { workspace }) =>
      refusing(async () => {
        const folder = openFolder(workspace);
        // A runner brings its own shell.
        const shell = options.runCommand === undefined ? findShell(options) : '';
        return {
          kind: 'prepared' as const,
          before: null,
          run: (context: ToolRunContext) =>
            answering(() => run({ input, folder, shell, options, profile }, context)),
        };
      }),
    // A command leaves no digest behind by which it could be known; only its processes can be seen.
    reconcile: async (_input, { idempotencyKey }) => ({
      kind: 'unknown',
      evidence: { processes_alive: await isCallAlive(idempotencyKey) },
    }),
  });
}

interface BashCall {
  readonly input: JsonObject;
  readonly folder: string;
  readonly shell: string;
  readonly options: PiToolOptions;
  readonly profile: ProfileSwitches;
}

async function run(call: BashCall, context: ToolRunContext): Promise<ToolResult> {
  const { input, options, profile } = call;
  const { idempotencyKey, signal } = context;
  if (signal.aborted) {
    const data = { truncated: false };
    return { kind: 'failed', code: 'cancelled', text: ABORTED, data, certainty: 'not_attempted' };
  }
  const shaped = shapeCommand(stringArgument(input, 'command'), call.folder, options);
  if (shaped.cwd !== call.folder) openFolder(shaped.cwd);
  const name = `millforge-bash-${sha256(idempotencyKey).slice(0, 16)}.log`;
  const maxLineBytes = profile.clipsOutputLines ? MAX_LINE_BYTES : Number.POSITIVE_INFINITY;
  const log = join(options.logDirectory ?? tmpdir(), name);
  const output = openOutputLog(log, { maxLineBytes });
  const seconds = optionalNumber(input, 'timeout') ?? 0;
  const { onUpdate, clock } = context;
  const show = () => describeOutput(output.soFar(), { maxLineBytes }).text;
  const watched = watchOutput(output, onUpdate === undefined ? null : { show, onUpdate, clock });
  const command: Command = {
    shell: call.shell,
    command: shaped.command,
    folder: shaped.cwd,
    environment: { ...shaped.env, [CALL_KEY]: idempotencyKey },
    timeoutMs: seconds > 0 ? seconds * 1000 : null,
    signal,
    clock,
    output: watched.log,
    idempotencyKey,
    endsDescendants: profile.endsDescendants,
    drainMs: profile.boundsDrain ? DRAIN_MS : null,
    onEffect: (phase) => options.onEffect?.('bash', phase),
  };
  const end = await (options.runCommand === undefined
    ? runCommand(command)
    : runElsewhere(options.runCommand, command)
  ).finally(watched.end);
  const background = await lookBehind(end, call, context);
  const written = await output.finish();
  const shown = describeOutput(written, { maxLineBytes });
  const logPath = written.logPath === null ? {} : { log: written.logPath };
  const result = await answer(
    end,
    { ...shown, logPath },
    { ...call, seconds, context, background },
  );
  if (!(seconds > CALL_SECONDS) || !profile.reportsLongTimeouts) return result;
  const notice = `[timeout ${seconds} is above ${CALL_SECONDS} seconds, after which every command is ended. It is in seconds, not in milliseconds.]`;
  return { ...result, text: `${result.text}\n\n${notice}` };
}

/** Numbers of the processes that a command has left in its group; ends them where the host wants that. */
async function lookBehind(
  end: CommandEnd,
  { options, profile }: BashCall,
  { idempotencyKey, clock }: ToolRunContext,
): Promise<readonly number[]> {
  if (end.kind !== 'exited' || end.group === null) return [];
  const { group } = end;
  if (!isAnyoneIn(group) && options.backgroundProcesses !== 'end') return [];
  const processes = { group, idempotencyKey, clock };
  if (options.backgroundProcesses === 'end') {
    await (profile.endsDescendants ? endProcesses : endGroup)(processes);
  }
  const found = await findCallProcesses({ ...processes, known: new Map() });
  return (found ?? []).map(({ pid }) => pid);
}

function isAnyoneIn(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch {
    // There is no such group any more.
    return false;
  }
}

async function answer(
  end: CommandEnd,
  output: ShownOutput & { readonly logPath: { readonly log?: string } },
  call: BashCall & {
    readonly seconds: number;
    readonly context: ToolRunContext;
    readonly background: readonly number[];
  },
): Promise<ToolResult> {
  const { text, isTruncated: truncated, logPath: log } = output;
  if (end.kind === 'not-started') {
    return {
      kind: 'failed',
      code: 'process_launch_error',
      text: launchFault(end.error, call.profile),
      data: { truncated: false },
      certainty: 'not_attempted',
    };
  }
  if (end.kind === 'exited') {
    const code = exitCode(end);
    const after = {
      exit_code: code,
      is_still_writing: end.isStillWriting,
      ...(call.background.length === 0 ? {} : { background_pids: call.background }),
      ...log,
    };
    const data = { truncated, exit_code: code };
    const shown = text === '' ? '(no output)' : text;
    const body = end.isStillWriting ? `${shown}\n\n${STILL_WRITING}` : shown;
    if (code === 0) return { kind: 'done', text: body, data, truncated, after };
    const how =
      end.signal === null ? `exited with code ${code}` : `terminated by signal ${end.signal}`;
    return {
      kind: 'failed',
      code: 'process_exit_nonzero',
      text: `${body}\n\nCommand ${how}`,
      data,
      certainty: 'confirmed_complete',
      after,
    };
  }
  const { idempotencyKey, signal } = call.context;
  const isAlive = !end.isGone || (await isCallAlive(idempotencyKey)) === true;
  const isOver = end.why === 'timeout' || isTimeout(signal);
  const code: ToolErrorCode = isOver ? 'timeout' : 'cancelled';
  const how = isOver ? timedOut(end.why === 'timeout' ? call.seconds : null) : ABORTED;
  return {
    kind: 'failed',
    code,
    text: text === '' ? how : `${text}\n\n${how}`,
    data: { truncated },
    certainty: isAlive ? 'completion_unknown' : 'confirmed_complete',
    after: { processes_alive: isAlive, ...log },
  };
}

function launchFault(error: Error, { explainsMisses }: ProfileSwitches): string {
  return errnoOf(error) === 'E2BIG' && explainsMisses
    ? `${error.message}: the command is too long; write it to a file and run that.`
    : error.message;
}

function timedOut(seconds: number | null): string {
  return seconds === null ? 'Command timed out' : `Command timed out after ${seconds} seconds`;
}

function exitCode(end: { readonly code: number | null; readonly signal: NodeJS.Signals | null }) {
  if (end.code !== null) return end.code;
  return 128 + (end.signal === null ? 0 : constants.signals[end.signal]);
}

function isTimeout(signal: AbortSignal): boolean {
  const reason: unknown = signal.reason;
  return reason instanceof Error && reason.name === 'TimeoutError';
}

/** Asked at once: a round through the thread pool takes longer than the rest of the preparation. */
function openFolder(workspace: string | null): string {
  if (workspace === null) {
    throw toolFault('invalid_arguments', 'This run has no workspace to run commands in.');
  }
  try {
    accessSync(workspace);
    return workspace;
  } catch (error) {
    const message = `Working directory does not exist: ${workspace}\nCannot execute bash commands.`;
    throw toolFault('not_found', message, error);
  }
}

function findShell(options: PiToolOptions): string {
  const { shellPath } = options;
  if (shellPath === undefined) return existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh';
  if (!existsSync(shellPath)) {
    throw toolFault('not_found', `Custom shell path not found: ${shellPath}`);
  }
  try {
    accessSync(shellPath, modes.X_OK);
    return shellPath;
  } catch (error) {
    throw toolFault('permission_denied', `spawn ${shellPath} EACCES`, error);
  }
}

const ABORTED = 'Command aborted';
const STILL_WRITING =
  '[A process in the background goes on writing; what it writes from here on is not shown.]';
const MAX_TIMEOUT_SECONDS = 2_147_483;
