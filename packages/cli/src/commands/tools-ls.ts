import { formatToolReference, MillforgeError } from '@millforge/contracts';
import type { RegisteredTool } from '@millforge/registry';
import { openProjectTools } from '../custom-tools/project-tools.ts';
import { writeJsonLine, writeLine } from '../output/terminal.ts';
import type { MillforgePort } from '../port/millforge-port.ts';
import type { Command } from './command.ts';
import { CONFIG_OPTIONS } from './configured.ts';
import { findData } from './data-place.ts';

/** Lists the tools that a harness may name. */
export const toolsLsCommand: Command = {
  command: 'tools ls',
  positionals: [],
  summary: 'list the tools that a harness may name: id, version, origin, effect, capabilities',
  example: 'millforge tools ls --json',
  options: { json: { value: null, help: 'JSON Lines instead of text' }, ...CONFIG_OPTIONS },
  async run(context, args) {
    const { host, createMillforge } = context;
    const { directory } = await findData(host, args);
    const faults: Error[] = [];
    await using brought = await openProjectTools(context, args, host.cwd).catch(
      (error: unknown) => {
        if (!MillforgeError.is(error)) throw error;
        faults.push(error);
        return { tools: [], async [Symbol.asyncDispose]() {} };
      },
    );
    const { tools } = brought;
    await using millforge = createMillforge({ dataDir: directory, env: host.env, tools });
    for (const tool of allTools(millforge)) {
      if (args.has('json')) {
        writeJsonLine(host.stdout, {
          kind: 'tool_summary',
          schema_version: '1.0',
          ...toolFacts(tool),
        });
      } else {
        writeLine(host.stdout, rowOf(tool));
      }
    }
    // What the project brings is wrong; the tools that ship are there all the same.
    for (const fault of faults) throw fault;
    return 0;
  },
};

/** Every tool, in the order of its id and version. */
export function allTools({ snapshot }: Pick<MillforgePort, 'snapshot'>): readonly RegisteredTool[] {
  return snapshot.records.flatMap(({ tool_id: id, tool_version: version }) => {
    const tool = snapshot.findTool(id, version);
    return tool === null ? [] : [tool];
  });
}

/** `builtin.pi_compat.read@1`. */
export function referenceOf({ descriptor }: Pick<RegisteredTool, 'descriptor'>): string {
  const { tool_id: toolId, tool_version: toolVersion } = descriptor;
  return formatToolReference({ toolId, toolVersion });
}

/** What a list says of a tool. */
export function toolFacts({ descriptor, origin, approval, descriptorSha256 }: RegisteredTool) {
  return {
    tool_id: descriptor.tool_id,
    tool_version: descriptor.tool_version,
    model_tool_name: descriptor.model_tool_name,
    origin,
    side_effect_class: descriptor.side_effect_class,
    idempotency: descriptor.idempotency,
    required_capabilities: descriptor.required_capabilities,
    approval,
    descriptor_sha256: descriptorSha256,
  };
}

function rowOf(tool: RegisteredTool): string {
  const { side_effect_class: effect, required_capabilities: capabilities } = tool.descriptor;
  const approval = tool.approval === 'none' ? '' : `  approval ${tool.approval}`;
  return [
    referenceOf(tool).padEnd(40),
    tool.origin.padEnd(9),
    effect.padEnd(17),
    `${capabilities.join(', ') || '-'}${approval}`,
  ].join('  ');
}
