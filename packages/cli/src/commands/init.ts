import { mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { usageError } from '../arguments/usage-error.ts';
import { userDataDirectory } from '../config/effective-config.ts';
import { openTrustStore } from '../config/trust-store.ts';
import { writeLine } from '../output/terminal.ts';
import type { Command } from './command.ts';

/** Scaffolds a harness, its grants, a configuration and an example that runs offline. */
export const initCommand: Command = {
  command: 'init',
  positionals: ['dir?'],
  summary: 'scaffold a harness, its grants, a config and a runnable example',
  example: 'millforge init my-agent',
  options: {
    data: { value: 'DIR', help: 'data directory in which the new configuration is trusted' },
  },
  async run({ host }, args) {
    const directory = resolve(host.cwd, args.positionals[0] ?? '.');
    const files = scaffold();
    for (const { path } of files) await refuseExisting(join(directory, path));
    for (const { path, text } of files) {
      const file = join(directory, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text, { flag: 'wx' });
      writeLine(host.stdout, `created ${relative(host.cwd, file) || file}`);
    }
    // The person at the keyboard asked for this file; a later change of it asks again.
    const config = join(directory, CONFIG_PATH);
    const store = openTrustStore(await userDataDirectory(args.text('data'), host));
    await store.accept(config, CONFIG);
    const where = relative(host.cwd, directory);
    writeLine(host.stdout, '');
    writeLine(host.stdout, 'Try it offline, with the scripted model of the configuration:');
    writeLine(
      host.stdout,
      `  ${where === '' ? '' : `cd ${where} && `}millforge run harness.yaml --task "Greet the reader."`,
    );
    writeLine(host.stdout, 'Then with a real one: --model http://127.0.0.1:11434/v1#qwen3:8b');
    return 0;
  },
};

async function refuseExisting(file: string): Promise<void> {
  try {
    await stat(file);
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return;
    throw usageError(`${file} cannot be looked at; choose another directory.`, cause);
  }
  throw usageError(
    `${file} exists; choose another directory or move it away. Nothing was written.`,
  );
}

function scaffold(): readonly { readonly path: string; readonly text: string }[] {
  return [
    { path: 'harness.yaml', text: HARNESS },
    { path: CONFIG_PATH, text: CONFIG },
    { path: 'example/script.json', text: SCRIPT },
  ];
}

const CONFIG_PATH = join('.millforge', 'config.json');

const HARNESS = `# What the model may do, in which order, and when it is done.
schema_version: "1.0"
kind: millforge_harness
harness_id: local.first.v1
harness_version: 1
stage_scope:
  stage_kind_ids:
    - task
model_profile_id: local.default
prompt:
  policy_id: local.first.policy
  system_instructions: |
    You work in one folder. Write what the task asks for into a file,
    read the file back to check it, then submit a short summary.
  include_request_context: false
budgets:
  max_iterations: 12
  max_validation_retries: 3
  max_tool_errors: 3
  max_prerequisite_violations: 2
  max_premature_terminal_attempts: 2
context:
  strategy_id: forge.tiered.v1
  budget_tokens: 16000
  keep_recent_iterations: 4
  phase_thresholds: [0.65, 0.8, 1]
graph:
  nodes:
    write_file:
      tool_ref: builtin.pi_compat.write@1
    read_back:
      tool_ref: builtin.pi_compat.read@1
      prerequisites:
        - node_id: write_file
          argument_matches:
            path: path
    finish:
      tool_ref: builtin.pi_compat.submit@1
      terminal_result: COMPLETE
      prerequisites:
        - node_id: read_back
    give_up:
      tool_ref: builtin.pi_compat.block@1
      terminal_result: BLOCKED
artifacts:
`;

const CONFIG = `${JSON.stringify(
  {
    kind: 'millforge_config',
    schema_version: '1.0',
    model: 'scripted:example/script.json',
    profiles: [
      {
        profile_id: 'local.default',
        base_url: 'http://127.0.0.1:11434/v1',
        model: 'qwen3:8b',
      },
    ],
    grants: ['terminal.intent', 'unrestricted.filesystem.read', 'unrestricted.filesystem.write'],
  },
  null,
  2,
)}\n`;

const SCRIPT = `${JSON.stringify(
  {
    kind: 'model_script',
    schema_version: '1.0',
    replies: [
      {
        content: 'I write the greeting.',
        tool_calls: [
          {
            name: 'write',
            arguments: { path: 'greeting.txt', content: 'Hello, reader. Work well.\n' },
          },
        ],
      },
      { tool_calls: [{ name: 'read', arguments: { path: 'greeting.txt' } }] },
      {
        tool_calls: [
          {
            name: 'submit',
            arguments: {
              terminal_result: 'COMPLETE',
              summary: 'greeting.txt greets the reader.',
            },
          },
        ],
      },
    ],
  },
  null,
  2,
)}\n`;
