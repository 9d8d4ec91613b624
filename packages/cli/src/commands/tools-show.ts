import { parseToolReference } from '@millforge/contracts';
import type { RegisteredTool } from '@millforge/registry';
import { usageError } from '../cli-error.ts';
import { openProjectTools } from '../custom-tools/project-tools.ts';
import { exampleArguments } from '../documents/example-arguments.ts';
import { type CliHost, writeJsonLine, writeLine } from '../output/terminal.ts';
import type { Command } from './command.ts';
import { CONFIG_OPTIONS } from './configured.ts';
import { findData } from './data-place.ts';
import { allTools, referenceOf, toolFacts } from './tools-ls.ts';

/** Shows one tool: descriptor, digest, schemas and an example of its arguments. */
export const toolsShowCommand: Command = {
  command: 'tools show',
  positionals: ['ID[@VERSION]'],
  summary: 'show a tool: descriptor, digest, schemas and an example call',
  example: 'millforge tools show builtin.pi_compat.read@1',
  options: { json: { value: null, help: 'one document instead of text' }, ...CONFIG_OPTIONS },
  async run(context, args) {
    const { host, createMillforge } = context;
    const { directory } = await findData(host, args);
    await using brought = await openProjectTools(context, args, host.cwd);
    const { tools } = brought;
    await using millforge = createMillforge({ dataDir: directory, env: host.env, tools });
    const tool = chooseTool(allTools(millforge), args.positionals[0] ?? '');
    if (args.has('json')) {
      writeJsonLine(host.stdout, {
        kind: 'tool_description',
        schema_version: '1.0',
        origin: tool.origin,
        approval: tool.approval,
        descriptor_sha256: tool.descriptorSha256,
        example: exampleArguments(tool.descriptor.input_schema),
        descriptor: tool.descriptor,
      });
    } else {
      print(host, tool);
    }
    return 0;
  },
};

/** The one tool that is meant: an exact version, or the id alone where it has one version. */
function chooseTool(tools: readonly RegisteredTool[], given: string): RegisteredTool {
  const reference = parseToolReference(given);
  const id = reference?.toolId ?? given;
  const versions = tools.filter(({ descriptor }) => descriptor.tool_id === id);
  const meant =
    reference === null
      ? versions
      : versions.filter(({ descriptor }) => descriptor.tool_version === reference.toolVersion);
  const [only] = meant;
  if (only !== undefined && meant.length === 1) return only;
  const shown = given.slice(0, 80);
  throw usageError(
    versions.length === 0
      ? `There is no tool '${shown}'; 'millforge tools ls' lists those that are there.`
      : `'${shown}' names no one tool; it is one of ${versions.map(referenceOf).join(', ')}.`,
  );
}

function print({ stdout }: CliHost, tool: RegisteredTool): void {
  const { descriptor } = tool;
  const { timeout_policy: time, output_policy: output } = descriptor;
  const facts = toolFacts(tool);
  const rows: readonly (readonly [string, string])[] = [
    ['called', descriptor.model_tool_name],
    ['origin', tool.origin],
    ['effect', `${facts.side_effect_class}, ${facts.idempotency}`],
    ['needs', facts.required_capabilities.join(', ') || 'no capability'],
    ['approval', tool.approval],
    ['produces', descriptor.produced_artifact_ids.join(', ') || 'no artifact'],
    ['time', `${time.timeout_seconds} s, then ${time.cancellation_grace_seconds} s to settle`],
    [
      'result',
      `${output.max_output_bytes} bytes of data, ${output.max_summary_utf8} bytes of text, secrets ${output.redact_secrets ? 'replaced' : 'shown'}`,
    ],
    ['code', descriptor.implementation_id],
    ['digest', tool.descriptorSha256],
  ];
  writeLine(stdout, referenceOf(tool));
  writeLine(stdout, `  ${descriptor.description.replaceAll('\n', '\n  ')}`);
  for (const [name, value] of rows) writeLine(stdout, `  ${name.padEnd(9)} ${value}`);
  printJson(stdout, 'arguments', descriptor.input_schema);
  printJson(stdout, 'result', descriptor.output_schema);
  const example = exampleArguments(descriptor.input_schema);
  if (example !== null) writeLine(stdout, `  example   ${JSON.stringify(example)}`);
}

function printJson(stdout: CliHost['stdout'], name: string, value: object): void {
  writeLine(stdout, `  ${name}:`);
  for (const line of JSON.stringify(value, null, 2).split('\n')) writeLine(stdout, `    ${line}`);
}
