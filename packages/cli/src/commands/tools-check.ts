import { resolve } from 'node:path';
import { type JsonValue, readJson, type Tool, toPlainJson } from '@millforge/contracts';
import type { RegisteredTool } from '@millforge/registry';
import type { ToolTrial } from '@millforge/registry/testing';
import { documentError, usageError } from '../cli-error.ts';
import { loadTools } from '../documents/load-tools.ts';
import { readInputFile } from '../documents/read-input-file.ts';
import { EXIT_CHECK_FAILED } from '../output/exit-status.ts';
import { type CliHost, writeJsonLine, writeLine } from '../output/terminal.ts';
import type { MillforgePort } from '../port/millforge-port.ts';
import type { Command } from './command.ts';
import { findData } from './data-place.ts';
import { referenceOf, toolFacts } from './tools-ls.ts';

/** Takes the tools of a module through the real registry and the real executor. */
export const toolsCheckCommand: Command = {
  command: 'tools check',
  positionals: ['MODULE'],
  summary: 'take the tools of a module, and their examples, through the real executor',
  example: 'millforge tools check ./tool.js --input \'{"text":"one two"}\'',
  options: {
    input: { value: 'JSON|@FILE', help: 'call with these arguments instead of the examples' },
    run: {
      value: null,
      help: 'perform calls of tools with effects, too; by default only reads run',
    },
    workspace: { value: 'DIR', help: 'folder the tools work in; default the current one' },
    json: { value: null, help: 'one document per tool instead of text' },
  },
  async run({ host, createMillforge }, args) {
    const tools = await loadTools(args.positionals[0] ?? '', host.cwd);
    const given = args.text('input');
    const inputs = given === null ? null : [await readArguments(given, host.cwd)];
    if (inputs !== null && tools.length > 1) {
      throw usageError('--input goes with a module of one tool; this one has more.');
    }
    const { directory } = await findData(host, args);
    await using millforge = createMillforge({ dataDir: directory, env: host.env, tools });
    const workspace = resolve(host.cwd, args.text('workspace') ?? '.');
    let isRight = true;
    for (const tool of tools.map((one) => registered(millforge, one))) {
      const upTo = args.has('run') || isRead(tool) ? 'run' : 'check';
      const calls = await tryAll(millforge, tool, {
        inputs: inputs ?? examplesOf(tool),
        upTo,
        workspace,
      });
      isRight &&= calls.every(hasPassed);
      if (args.has('json')) writeJsonLine(host.stdout, document(tool, calls));
      else print(host, tool, calls);
    }
    return isRight ? 0 : EXIT_CHECK_FAILED;
  },
};

/** One call, and what it came to; null for one that was only checked and passed. */
interface TriedCall {
  readonly input: JsonValue;
  readonly trial: ToolTrial | null;
}

async function tryAll(
  millforge: MillforgePort,
  { descriptor }: RegisteredTool,
  how: {
    readonly inputs: readonly JsonValue[];
    readonly upTo: 'check' | 'run';
    readonly workspace: string;
  },
): Promise<readonly TriedCall[]> {
  const { tool_id: toolId, tool_version: toolVersion } = descriptor;
  const { upTo, workspace } = how;
  const calls: TriedCall[] = [];
  for (const input of how.inputs) {
    const trial = await millforge.tryTool({ toolId, toolVersion, input, workspace, upTo });
    calls.push({ input, trial });
  }
  return calls;
}

function hasPassed({ trial }: TriedCall): boolean {
  return trial === null || trial.outcome.status === 'success';
}

function registered({ snapshot }: MillforgePort, { descriptor }: Tool): RegisteredTool {
  const tool = snapshot.findTool(descriptor.tool_id, descriptor.tool_version);
  if (tool !== null) return tool;
  throw documentError(`The tool ${referenceOf({ descriptor })} was not registered.`);
}

function isRead({ descriptor }: RegisteredTool): boolean {
  return descriptor.side_effect_class === 'read_only';
}

function examplesOf({ descriptor }: RegisteredTool): readonly JsonValue[] {
  return (descriptor.input_schema.examples ?? []).map(toPlainJson);
}

async function readArguments(given: string, cwd: string): Promise<JsonValue> {
  const text = given.startsWith('@')
    ? (
        await readInputFile({
          path: resolve(cwd, given.slice(1)),
          what: 'arguments',
          maxBytes: MAX_INPUT_BYTES,
        })
      ).toString('utf8')
    : given;
  const read = readJson(text);
  if (read.ok) return toPlainJson(read.value);
  throw documentError(`The arguments are not valid JSON: ${read.message}`);
}

function document(tool: RegisteredTool, calls: readonly TriedCall[]): object {
  return {
    kind: 'tool_check',
    schema_version: '1.0',
    ...toolFacts(tool),
    ok: calls.every(hasPassed),
    calls: calls.map(({ input, trial }) => ({
      input,
      stage: trial?.stage ?? 'check',
      status: trial?.outcome.status ?? null,
      error_code: trial?.outcome.error_code ?? null,
      text: trial?.outcome.text ?? null,
      data: trial?.outcome.data ?? null,
    })),
  };
}

function print(host: CliHost, tool: RegisteredTool, calls: readonly TriedCall[]): void {
  const { descriptor, descriptorSha256, origin } = tool;
  writeLine(
    host.stdout,
    `${referenceOf(tool)}  ${origin}  ${descriptor.side_effect_class}  ${descriptorSha256}`,
  );
  for (const call of calls) {
    const { input, trial } = call;
    const shown = cut(JSON.stringify(input));
    const answer = trial === null ? 'passes every check; not performed' : cut(trial.outcome.text);
    writeLine(host.stdout, `  ${hasPassed(call) ? 'ok' : 'no'}  ${shown} → ${answer}`);
  }
  if (calls.length === 0) {
    writeLine(
      host.stdout,
      '  no examples: only the descriptor was checked; give --input, or examples',
    );
  }
}

function cut(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}

const MAX_INPUT_BYTES = 1_048_576;
