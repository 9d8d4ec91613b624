import { resolve } from 'node:path';
import {
  createAdmissionSnapshot,
  createConnectorBroker,
  createConnectorTools,
} from '@millforge/connectors';
import { readJson, toPlainJson } from '@millforge/contracts';
import { documentError, usageError } from '../cli-error.ts';
import { readAdmission } from '../connect/admission-document.ts';
import { openConnectorFolder } from '../connect/connector-folder.ts';
import { connect } from '../connect/live-connector.ts';
import { EXIT_FAILED } from '../output/exit-status.ts';
import { writeJsonLine, writeLine } from '../output/terminal.ts';
import type { Command } from './command.ts';
import { CONFIG_OPTIONS } from './configured.ts';
import { findData } from './data-place.ts';

/** Calls one admitted tool through the boundary that a run has. */
export const connectCallCommand: Command = {
  command: 'connect call',
  positionals: ['NAME', 'TOOL'],
  summary: 'call one admitted tool through the boundary that a run has',
  example: 'millforge connect call files read_text_file --input \'{"path":"a.txt"}\'',
  options: {
    input: { value: 'JSON', help: 'arguments of the call; default none' },
    json: { value: null, help: 'the outcome as one JSON document' },
    ...CONFIG_OPTIONS,
  },
  async run(context, args) {
    const { host, createMillforge } = context;
    const [name = '', tool = ''] = args.positionals;
    const input = readInput(args.text('input') ?? '{}');
    const folder = await openConnectorFolder(host.cwd, name);
    const { result, discovery } = await readAdmission(folder);
    const at = result.records.findIndex((record) => record.provider_tool_name === tool);
    const descriptor = result.descriptors[at];
    if (descriptor === undefined) {
      const names = result.records.map((record) => record.provider_tool_name).join(', ');
      throw usageError(`The tool ${tool.slice(0, 40)} is not admitted; those that are: ${names}.`);
    }
    const transport = await connect(context, args, folder);
    await using broker = createConnectorBroker({
      clock: { monotonicMs: () => performance.now() },
      connectors: [{ discovery, transport }],
    });
    const { descriptors, records } = result;
    const admission = createAdmissionSnapshot(records, descriptors);
    const tools = createConnectorTools({ admission, descriptors, broker });
    const { directory } = await findData(host, args);
    await using millforge = createMillforge({ dataDir: directory, env: host.env, tools });
    const { tool_id: toolId, tool_version: toolVersion } = descriptor;
    const workspace = resolve(host.cwd);
    const trial = await millforge.tryTool({ toolId, toolVersion, input, workspace, upTo: 'run' });
    if (trial === null) return EXIT_FAILED;
    const { outcome } = trial;
    if (args.has('json')) {
      writeJsonLine(host.stdout, { kind: 'connector_call', schema_version: '1.0', ...outcome });
    } else {
      const stream = outcome.status === 'success' ? host.stdout : host.stderr;
      writeLine(
        stream,
        outcome.error_code === null ? outcome.text : `${outcome.error_code}: ${outcome.text}`,
      );
    }
    return outcome.status === 'success' ? 0 : EXIT_FAILED;
  },
};

function readInput(text: string) {
  const read = readJson(text);
  if (read.ok) return toPlainJson(read.value);
  throw documentError(`The arguments are not valid JSON: ${read.message}`);
}
