import { realpath } from 'node:fs/promises';
import {
  type JsonObject,
  type PreparedTool,
  type Tool,
  type ToolRefusal,
  type ToolResult,
  type ToolRunContext,
  unreachable,
} from '@millforge/contracts';
import { limitArgument, optionalString, stringArgument } from '../arguments.ts';
import { BOOLEAN, defineBuiltinTool, INTEGER, STRING, STRINGS } from '../define-builtin-tool.ts';
import type { OnEffect } from '../on-effect.ts';
import { pathFault } from '../paths/path-fault.ts';
import { refusing, toolFault } from '../tool-faults.ts';
import { endProcesses } from './call-processes.ts';
import { commandEnvironment, type HostEnvironment } from './command-environment.ts';
import { type ProfileRunner, runByRunner } from './profile-runner.ts';
import { type Command, type CommandEnd, runCommand } from './run-command.ts';
import {
  assertProfiles,
  commandLine,
  MAX_OUTPUT,
  MAX_SECONDS,
  profileDigest,
  type ShellProfile,
  type ShellProfiles,
} from './shell-profile.ts';

/** What the tools of processes are given by the host. */
export interface ProcessOptions {
  /** Commands that run tests. */
  readonly testProfiles?: ShellProfiles;
  /** Commands that check without running: types, lint. */
  readonly checkProfiles?: ShellProfiles;
  /**
   * Environment of the host, of which commands get only `PATH`, `HOME` and the folder for temporary
   * files. Default: only a `PATH` of the usual system folders.
   */
  readonly environment?: HostEnvironment;
  /** Runs the commands elsewhere, as in a sandbox; default processes of this host, which is no sandbox. */
  readonly runProfile?: ProfileRunner;
}

/** Makes the two tools that start a command of the operator by its name. */
export function profileTools(options: ProcessOptions, onEffect?: OnEffect): readonly Tool[] {
  const { testProfiles = {}, checkProfiles = {}, environment, runProfile } = options;
  for (const profiles of [testProfiles, checkProfiles]) assertProfiles(profiles);
  return [
    profileTool({
      idEnd: 'shell.run_tests',
      name: 'run_test_profile',
      description:
        'Run the tests with a command that the operator has set up, chosen by its name. Nothing but the name can be said; selector may be left out. The output is cut in the middle.',
      capability: 'process.test',
      profiles: testProfiles,
      environment,
      runProfile,
      onEffect,
    }),
    profileTool({
      idEnd: 'shell.run_static_check',
      name: 'run_static_check_profile',
      description:
        'Check the code with a command that the operator has set up, such as a type check, chosen by its name. Nothing but the name can be said; selector may be left out. The output is cut in the middle.',
      capability: 'process.static_check',
      profiles: checkProfiles,
      environment,
      runProfile,
      onEffect,
    }),
  ];
}

interface ProfileTool {
  readonly idEnd: string;
  readonly name: string;
  readonly description: string;
  readonly capability: string;
  readonly profiles: ShellProfiles;
  readonly environment: HostEnvironment | undefined;
  readonly runProfile: ProfileRunner | undefined;
  readonly onEffect: OnEffect | undefined;
}

function profileTool(tool: ProfileTool): Tool {
  const { idEnd, name, description, profiles } = tool;
  return defineBuiltinTool({
    idEnd,
    name,
    description,
    properties: { profile: STRING, selector: STRING, max_output_bytes: INTEGER },
    required: ['profile'],
    results: { exit_code: INTEGER, artifact_refs: STRINGS, truncated: BOOLEAN },
    requiredResults: ['exit_code', 'artifact_refs', 'truncated'],
    sideEffect: 'process_execution',
    idempotency: 'idempotent_with_key',
    capabilities: [tool.capability],
    limits: { timeoutSeconds: MAX_SECONDS, graceSeconds: 30 },
    check: (input) => selectorFault(input),
    reach(input) {
      const profile = findProfile(profiles, stringArgument(input, 'profile'));
      return { commands: profile === null ? [] : [commandLine(profile)] };
    },
    prepare: (input, context) => refusing(async () => prepare(tool, input, context.workspace)),
  });
}

function selectorFault(input: JsonObject): ToolRefusal | null {
  const selector = optionalString(input, 'selector') ?? '';
  if (selector === '' || selector === 'all') return null;
  const message = 'selector can only be left out, or be "all": the command is the operator\'s.';
  return { kind: 'refused', code: 'invalid_arguments', message };
}

/** Live, not in the pure check: a resumed run may meet other profiles. */
async function prepare(
  tool: ProfileTool,
  input: JsonObject,
  workspace: string | null,
): Promise<PreparedTool> {
  const name = stringArgument(input, 'profile');
  const profile = findProfile(tool.profiles, name);
  if (profile === null) throw unknownProfile(tool, name);
  if (workspace === null) throw pathFault('workspace', 'this run has no workspace.');
  const folder = await realpath(workspace).catch(() => {
    throw pathFault('workspace', 'the workspace is no folder that can be opened.');
  });
  const maxOutputBytes = limitArgument(input, 'max_output_bytes', {
    fallback: Math.min(32_768, profile.maxOutputBytes ?? MAX_OUTPUT),
    greatest: profile.maxOutputBytes ?? MAX_OUTPUT,
  });
  return {
    kind: 'prepared',
    before: { profile: name, profile_sha256: profileDigest(profile), argv: [...profile.argv] },
    run: (context) => run(tool, { name, profile, folder, maxOutputBytes }, context),
  };
}

async function run(
  tool: ProfileTool,
  call: {
    readonly name: string;
    readonly profile: ShellProfile;
    readonly folder: string;
    readonly maxOutputBytes: number;
  },
  { clock, signal, idempotencyKey: key }: ToolRunContext,
): Promise<ToolResult> {
  const { name, profile, folder, maxOutputBytes } = call;
  // A call that is repeated after a crash may have left its processes behind.
  await endProcesses({ group: null, key, clock });
  tool.onEffect?.('before-effect', name);
  const command: Command = {
    argv: profile.argv,
    folder,
    environment: commandEnvironment(tool.environment, profile.environment),
    timeoutMs: (profile.timeoutSeconds ?? MAX_SECONDS) * 1000,
    maxOutputBytes,
    key,
    signal,
    clock,
  };
  const { runProfile } = tool;
  const end = await (runProfile === undefined
    ? runCommand(command)
    : runByRunner(runProfile, command));
  tool.onEffect?.('after-effect', name);
  return describe(name, end);
}

function describe(name: string, end: CommandEnd): ToolResult {
  switch (end.kind) {
    case 'not-started': {
      const summary = `${name} could not be started: ${end.reason}`;
      return failed('process_launch_error', { summary, certainty: 'not_attempted' });
    }
    case 'stopped': {
      const left = end.isGone ? '' : '; some of its processes may still run';
      const summary =
        end.why === 'timeout'
          ? `${name} was ended because its time was over${left}`
          : `${name} was stopped${left}`;
      return failed(end.why, { summary, certainty: 'completion_unknown', ...end });
    }
    case 'exited':
      return describeExit(name, end);
    default:
      return unreachable(end, 'end of a command');
  }
}

function describeExit(name: string, end: CommandEnd & { readonly kind: 'exited' }): ToolResult {
  if (end.code === 0) {
    const summary = `${name} exited with 0`;
    return {
      kind: 'done',
      text: textOf(summary, end.output),
      truncated: end.isCut,
      data: {
        status: 'success',
        summary,
        exit_code: 0,
        artifact_refs: [],
        truncated: end.isCut,
      },
    };
  }
  const how = end.code === null ? `was ended by ${end.signal}` : `exited with ${end.code}`;
  return failed('process_exit_nonzero', {
    summary: `${name} ${how}`,
    certainty: 'confirmed_complete',
    exitCode: end.code ?? -1,
    ...end,
  });
}

function failed(
  code: 'process_launch_error' | 'process_exit_nonzero' | 'timeout' | 'cancelled',
  what: {
    readonly summary: string;
    readonly certainty: 'not_attempted' | 'confirmed_complete' | 'completion_unknown';
    readonly exitCode?: number;
    readonly output?: string;
    readonly isCut?: boolean;
  },
): ToolResult {
  const { summary, certainty, exitCode = -1, output = '', isCut = false } = what;
  return {
    kind: 'failed',
    code,
    text: textOf(summary, output),
    certainty,
    data: {
      status: 'soft_failure',
      summary,
      exit_code: exitCode,
      artifact_refs: [],
      truncated: isCut,
    },
  };
}

function textOf(summary: string, output: string): string {
  return `${summary}\n${output === '' ? '[no output]' : output}`;
}

function findProfile(profiles: ShellProfiles, name: string): ShellProfile | null {
  return Object.hasOwn(profiles, name) ? (profiles[name] ?? null) : null;
}

function unknownProfile({ profiles }: ProfileTool, name: string): Error {
  const names = Object.keys(profiles).toSorted().slice(0, 50);
  const known =
    names.length === 0 ? 'the operator has set up none' : `there are ${names.join(', ')}`;
  return toolFault('invalid_arguments', `There is no profile ${name.slice(0, 64)}; ${known}.`);
}
