import {
  type JsonObject,
  type LiveToolContext,
  readJson,
  type ToolContext,
  type ToolImplementation,
  type ToolResult,
  toPlainJson,
} from '@millforge/contracts';
import type { CommandResult, Sandbox } from '@millforge/sandbox';
import type { CompiledCustomTool } from '../compile.ts';
import type { CommandImplementation } from '../custom-tool-manifest.ts';
import { structured } from './javascript-tool.ts';
import { noAnswer } from './no-answer.ts';
import { sandboxLimits } from './sandbox-limits.ts';
import { withEvidence } from './with-evidence.ts';

/** Runs a tool as a command in the sandbox; its arguments come as JSON on standard input. */
export function commandTool(
  tool: CompiledCustomTool,
  code: CommandImplementation,
  sandbox: Sandbox,
): ToolImplementation {
  return Object.freeze({
    reach: (_input: JsonObject, { workspace }: ToolContext) => ({
      commands: [code.command.join(' ')],
      paths: code.workspace === 'none' || workspace === null ? [] : [`${workspace}/`],
      hosts: [],
    }),
    async prepare(input: JsonObject, { workspace }: LiveToolContext) {
      if (code.workspace !== 'none' && workspace === null) {
        return {
          kind: 'refused' as const,
          code: 'policy_denied' as const,
          message: 'This tool works in the workspace, and the run has none.',
        };
      }
      return {
        kind: 'prepared' as const,
        before: null,
        async run({ signal }: { readonly signal: AbortSignal }) {
          const command = commandOf({ tool, code }, input, workspace);
          const result = await sandbox.run(command, { signal });
          return withEvidence(answer(result, code, signal), result);
        },
      };
    },
  });
}

function commandOf(
  { tool, code }: { readonly tool: CompiledCustomTool; readonly code: CommandImplementation },
  input: JsonObject,
  workspace: string | null,
) {
  const folder = code.workspace === 'none' ? null : workspace;
  return {
    command: code.command,
    environment: code.environment,
    input: JSON.stringify(input),
    limits: sandboxLimits(tool, code.limits),
    ...(folder === null ? {} : { folder }),
    readOnlyPaths: folder !== null && code.workspace === 'read' ? [folder] : [],
    writablePaths: folder !== null && code.workspace === 'write' ? [folder] : [],
  };
}

function answer(
  result: CommandResult,
  code: CommandImplementation,
  signal: AbortSignal,
): ToolResult {
  // What a command has done to the workspace before it was broken off, nobody knows.
  const broken = code.workspace === 'write' ? 'completion_unknown' : 'confirmed_absent';
  if (result.kind !== 'exited') return noAnswer(result, { broken, signal });
  const certainty = code.workspace === 'write' ? 'confirmed_complete' : 'confirmed_absent';
  if (result.exitCode !== 0) {
    const met = result.limitsMet.map((limit) => `\nIt came to its limit of ${limit}.`).join('');
    const text = `The command exited with ${result.exitCode}.\n${result.stderr.slice(-STDERR_CHARACTERS)}${met}`;
    return { kind: 'failed', code: 'process_exit_nonzero', text: text.trim(), certainty };
  }
  const given = code.output === 'text' ? { text: result.stdout } : parse(result.stdout);
  const told = structured(given);
  if (told.kind === 'failed') return { ...told, certainty };
  return code.output === 'text' ? { ...told, text: result.stdout || '(no output)' } : told;
}

function parse(text: string) {
  const read = readJson(text);
  return read.ok ? toPlainJson(read.value) : null;
}

const STDERR_CHARACTERS = 4096;
