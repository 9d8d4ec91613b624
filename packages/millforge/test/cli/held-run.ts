import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MillforgeFactory } from '@millforge/cli';
import { createMillforge, defineTool } from 'millforge';
import { type CliEnd, lastJson, runCli, testFolder } from './run-cli.ts';
import { scriptText, testHarness } from './test-harness.ts';

/** A factory whose tools know one more: a call of it never knows whether it happened. */
const createWithLetters =
  (evidence: object | undefined): MillforgeFactory =>
  (options) =>
    createMillforge({ ...options, tools: [letter(evidence)] });

/** A run that is held because a letter may have been sent. */
export interface HeldRun {
  readonly cwd: string;
  readonly runId: string;
  readonly holdId: string;
  /** How the command that started it ended. */
  readonly end: CliEnd;
  /** Runs another command on it, in the same data directory. */
  readonly command: (...argv: readonly string[]) => Promise<CliEnd>;
  /** The same with another environment. */
  readonly commandIn: (env: CliEnv, ...argv: readonly string[]) => Promise<CliEnd>;
}

type CliEnv = Readonly<Record<string, string>>;

/** Makes a run that is held, of another model and in another environment where those are given. */
export async function heldRun(
  given: {
    readonly model?: readonly string[];
    readonly env?: CliEnv;
    /** What is found by looking at the call; without it nobody looks. */
    readonly evidence?: object;
  } = {},
): Promise<HeldRun> {
  const cwd = testFolder();
  writeFileSync(join(cwd, 'harness.yaml'), HARNESS);
  writeFileSync(join(cwd, 'script.json'), scriptText(REPLIES));
  const commandIn = (env: CliEnv, ...argv: readonly string[]) =>
    runCli([...argv, '--data', 'my data'], {
      cwd,
      env,
      createMillforge: createWithLetters(given.evidence),
    });
  const command = (...argv: readonly string[]) => commandIn(given.env ?? {}, ...argv);
  const flags = ['--task', 'Send it.', ...(given.model ?? ['--model', 'scripted:script.json'])];
  const grants = ['--grant', 'test.letters', '--grant', 'terminal.intent'];
  const end = await command('run', 'harness.yaml', ...flags, ...grants);
  const [runId = ''] = /run_\w+/.exec(end.stdout) ?? [];
  const shown = lastJson(await command('runs', runId, '--json'));
  const [hold] = shown['holds'] as readonly { readonly hold_id: string }[];
  return { cwd, runId, holdId: hold?.hold_id ?? '', end, command, commandIn };
}

const letter = (evidence: object | undefined) =>
  defineTool({
    id: 'test.letter',
    name: 'send_letter',
    description: 'Sends a letter.',
    input: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
    sideEffect: 'network_write',
    idempotency: 'non_idempotent',
    capabilities: ['test.letters'],
    run: async () => ({
      kind: 'failed',
      code: 'ambiguous_side_effect',
      text: 'The post office closed the connection.',
      certainty: 'completion_unknown',
    }),
    ...(evidence === undefined
      ? {}
      : { reconcile: async () => ({ kind: 'unknown' as const, evidence: { ...evidence } }) }),
  });

const HARNESS = testHarness({
  nodes: `    letter:
      tool_ref: test.letter@1
    finish:
      tool_ref: builtin.pi_compat.submit@1
      terminal_result: COMPLETE
      prerequisites:
        - node_id: letter
`,
});

/** What its model replies. */
export const REPLIES = [
  { tool_calls: [{ name: 'send_letter', arguments: { to: 'Ada' } }] },
  {
    tool_calls: [
      {
        name: 'submit',
        arguments: { terminal_result: 'COMPLETE', summary: 'The letter is sent.' },
      },
    ],
  },
];
