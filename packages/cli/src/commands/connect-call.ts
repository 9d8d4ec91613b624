import { resolve } from 'node:path';
import {
  createAdmissionSnapshot,
  createConnectorBroker,
  createConnectorTools,
} from '@millforge/connectors';
import { type JsonValue, readJson, type ToolDescriptor, toPlainJson } from '@millforge/contracts';
import type { ParsedArguments } from '../arguments/parse-arguments.ts';
import { documentError, usageError } from '../cli-error.ts';
import { readAdmission } from '../connect/admission-document.ts';
import { openConnectorFolder } from '../connect/connector-folder.ts';
import { assertAdmissionAccepted, connect } from '../connect/live-connector.ts';
import { EXIT_FAILED } from '../output/exit-status.ts';
import { type CliHost, writeJsonLine, writeLine } from '../output/terminal.ts';
import type { Command } from './command.ts';
import { CONFIG_OPTIONS, isConfirmed } from './configured.ts';
import { findData } from './data-place.ts';
import { approvedClasses } from './run-approvals.ts';

/** Calls one admitted tool through the boundary that a run has. */
export const connectCallCommand: Command = {
  command: 'connect call',
  positionals: ['NAME', 'TOOL'],
  summary: 'call one admitted tool through the boundary that a run has',
  example: 'millforge connect call files read_text_file --input \'{"path":"a.txt"}\'',
  options: {
    input: { value: 'JSON', help: 'arguments of the call; default none' },
    approve: {
      value: 'CLASS',
      isRepeatable: true,
      help: 'side-effect class whose calls need nobody to agree, such as network_write',
    },
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
      const how = `'millforge connect draft ${name} --select TOOL' and 'millforge connect admit ${name}' admit others`;
      throw usageError(
        `The tool ${tool.slice(0, 40)} is not admitted; those that are: ${names}; ${how}.`,
      );
    }
    await assertAdmissionAccepted(host, args, folder);
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
    const call = { toolId, toolVersion, input, workspace: resolve(host.cwd) };
    // What cannot be performed anyway is told before anybody is asked to agree to it.
    const refused = await millforge.tryTool({ ...call, upTo: 'check' });
    if (refused === null && result.records[at]?.approval_policy !== 'none') {
      await assertApproved(host, args, { descriptor, input });
    }
    const trial = refused ?? (await millforge.tryTool({ ...call, upTo: 'run' }));
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

/**
 * Has somebody agree to the call, beforehand or at the terminal.
 *
 * @throws `cli/usage` where nobody does.
 */
async function assertApproved(
  host: CliHost,
  args: ParsedArguments,
  call: { readonly descriptor: ToolDescriptor; readonly input: JsonValue },
): Promise<void> {
  const { model_tool_name: name, side_effect_class: effect } = call.descriptor;
  if (approvedClasses(args).includes(effect)) return;
  if (!host.canAsk) {
    throw usageError(
      `${name} was not called: its effect, ${effect}, needs somebody to agree, and there is no terminal to ask at; --approve ${effect} agrees.`,
    );
  }
  writeLine(host.stderr, `${name} asks to be performed; its effect: ${effect}`);
  writeLine(host.stderr, `  ${JSON.stringify(call.input).slice(0, MAX_SHOWN)}`);
  if (!(await isConfirmed(host, 'Let it?'))) throw usageError(`${name} was not called.`);
}

function readInput(text: string) {
  const read = readJson(text);
  if (read.ok) return toPlainJson(read.value);
  throw documentError(`The arguments are not valid JSON: ${read.message}`);
}

const MAX_SHOWN = 2000;
