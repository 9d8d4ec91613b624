import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScriptedServerReply } from '@millforge/models/testing';

/** Turns of the scripted run; it makes nine calls in them. */
export const TURNS = 6;

/** Capabilities that its harness needs. */
export const GRANTS = [
  'unrestricted.filesystem.read',
  'unrestricted.filesystem.write',
  'unrestricted.process.execute',
  'terminal.intent',
];

/** Files that the run changes, each exactly once, with what they hold at its end. */
export const CHANGED_FILES: Readonly<Record<string, string>> = {
  'notes.txt': 'one line\n',
  'a.txt': 'first, mended\n',
  'done.txt': 'all of it\n',
};

/** Key of the one call that nobody can look for. */
export const BASH_KEY = 'tool/4/0';

/** Where a run of its own folder keeps what. */
export interface RunPlaces {
  readonly workspace: string;
  readonly data: string;
  /** One line per run of the shell command, outside of the workspace. */
  readonly counter: string;
  /** What the processes saw and did, one JSON value a line. */
  readonly log: string;
}

export function placesIn(directory: string): RunPlaces {
  return {
    workspace: join(directory, 'workspace'),
    data: join(directory, 'data'),
    counter: join(directory, 'counter.txt'),
    log: join(directory, 'log.jsonl'),
  };
}

/** Makes the workspace as it is before the run. */
export function makeWorkspace(directory: string): RunPlaces {
  const places = placesIn(directory);
  mkdirSync(places.workspace, { recursive: true });
  for (const [name, text] of [
    ['a.txt', 'first\n'],
    ['b.txt', 'second\n'],
    ['c.txt', 'third\n'],
  ] as const) {
    writeFileSync(join(places.workspace, name), text);
  }
  return places;
}

/** Six turns with nine calls: reads, writes, edits, a shell command, a refused call, the terminal. */
export function scriptedReplies(
  places: RunPlaces,
  { command = countingCommand(places) }: { readonly command?: string } = {},
): readonly ScriptedServerReply[] {
  return [
    turn(['ls', {}], ['read', { path: 'a.txt' }]),
    turn(['write', { path: 'notes.txt', content: 'one line\n' }], ['read', { path: 'b.txt' }]),
    turn(
      // Nobody has read this file, so the gate refuses.
      ['edit', { path: 'c.txt', edits: [{ oldText: 'third', newText: 'never' }] }],
      ['edit', { path: 'a.txt', edits: [{ oldText: 'first', newText: 'first, mended' }] }],
    ),
    turn(['bash', { command }]),
    turn(['write', { path: 'done.txt', content: 'all of it\n' }]),
    turn(['submit', { terminal_result: 'COMPLETE', summary: 'It is all done.' }]),
  ];
}

/** A command that counts its runs outside of the workspace, and goes on for so many seconds. */
export function countingCommand({ counter }: RunPlaces, lingersFor = 0): string {
  const linger = lingersFor === 0 ? '' : `; sleep ${lingersFor}`;
  return `echo ran >> '${counter}'${linger}; echo counted`;
}

function turn(
  ...calls: readonly (readonly [name: string, args: Readonly<Record<string, unknown>>])[]
): ScriptedServerReply {
  return {
    tool_calls: calls.map(([name, args]) => ({ name, arguments: JSON.stringify(args) })),
    usage: { input_tokens: 10, output_tokens: 5 },
  };
}

/** The harness of the scripted run. */
export const HARNESS = `schema_version: "1.0"
kind: millforge_harness
harness_id: test.crash.v1
harness_version: 1
stage_scope:
  stage_kind_ids:
    - work
model_profile_id: test.small
prompt:
  policy_id: test.crash.policy
  system_instructions: |
    Do what is asked, then submit.
  include_request_context: false
budgets:
  max_iterations: 12
  max_validation_retries: 2
  max_tool_errors: 2
  max_prerequisite_violations: 2
  max_premature_terminal_attempts: 2
context:
  strategy_id: forge.tiered.v1
  budget_tokens: 8000
  keep_recent_iterations: 2
  phase_thresholds: [0.65, 0.8, 1]
graph:
  nodes:
    list_folder:
      tool_ref: builtin.pi_compat.ls@1
    read_file:
      tool_ref: builtin.pi_compat.read@1
      required: true
    write_file:
      tool_ref: builtin.pi_compat.write@1
    edit_file:
      tool_ref: builtin.pi_compat.edit@1
      prerequisites:
        - node_id: read_file
          argument_matches:
            path: path
    run_command:
      tool_ref: builtin.pi_compat.bash@1
      prerequisites:
        - node_id: read_file
    finish:
      tool_ref: builtin.pi_compat.submit@1
      terminal_result: COMPLETE
      prerequisites:
        - node_id: read_file
artifacts:
`;
