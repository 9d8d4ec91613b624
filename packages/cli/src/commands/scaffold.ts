import { join } from 'node:path';
import { COMPILER_IDENTITY } from '@millforge/compiler';

/** One file of a new project. */
export interface ScaffoldFile {
  /** Path in the project. */
  readonly path: string;
  /** Contents. */
  readonly text: string;
}

/** Path of the configuration in a project. */
export const CONFIG_PATH = join('.millforge', 'config.json');

const HARNESS = `# What the model may do, in which order, and when it is done.
schema_version: "1.1"
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

/** Text of the configuration, whose digest is accepted. */
export const CONFIG_TEXT = `${JSON.stringify(
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

/** Path of the language's schema in a project that has the compiler installed. */
export const INSTALLED_SCHEMA = 'node_modules/@millforge/compiler/harness.schema.json';

/**
 * The files of a new project: a harness, its grants and model, and replies for a run offline.
 *
 * An editor takes the schema of the harness from the project where it is installed, and otherwise from
 * the package's address, in the version that writes the project.
 */
export function scaffoldFiles(options: {
  readonly isSchemaInstalled: boolean;
}): readonly ScaffoldFile[] {
  const { version } = COMPILER_IDENTITY;
  const schema = options.isSchemaInstalled
    ? `./${INSTALLED_SCHEMA}`
    : `https://unpkg.com/@millforge/compiler@${version}/harness.schema.json`;
  return [
    { path: 'harness.yaml', text: `# yaml-language-server: $schema=${schema}\n${HARNESS}` },
    { path: CONFIG_PATH, text: CONFIG_TEXT },
    { path: join('example', 'script.json'), text: SCRIPT },
  ];
}
