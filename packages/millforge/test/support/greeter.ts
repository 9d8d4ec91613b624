import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CompileResult,
  defineTool,
  type Millforge,
  type ModelScript,
  type RunRequest,
  type Tool,
} from 'millforge';
import { toModelProfileCatalog } from 'millforge/compiler';
import { onTestFinished } from 'vitest';

/** A harness that lets a model greet somebody with a tool of ours, and then finish. */
export const GREETER = `schema_version: "1.0"
kind: millforge_harness
harness_id: test.greeter.v1
harness_version: 1
stage_scope:
  stage_kind_ids: ["task"]
model_profile_id: test.model
prompt:
  policy_id: test.policy
  system_instructions: Greet.
  include_request_context: false
budgets:
  max_iterations: 6
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
    greet:
      tool_ref: test.greet@1
    finish:
      tool_ref: builtin.pi_compat.submit@1
      terminal_result: COMPLETE
      prerequisites:
        - node_id: greet
artifacts:
`;

/** What the harness needs. */
export const GREETER_GRANTS: readonly string[] = ['test.greeting', 'terminal.intent'];

/** Replies that greet Ada and finish. */
export const GREET_AND_FINISH = [
  { tool_calls: [{ name: 'greet', arguments: { name: 'Ada' } }] },
  {
    tool_calls: [
      { name: 'submit', arguments: { terminal_result: 'COMPLETE', summary: 'Ada is greeted.' } },
    ],
  },
];

/** A model that greets Ada and finishes. */
export const SCRIPTED = {
  kind: 'scripted',
  script: {
    kind: 'model_script',
    schema_version: '1.0',
    replies: GREET_AND_FINISH,
  } satisfies ModelScript,
} as const;

/** The tool: it keeps whom it greeted, after `act` if one is given. */
export function greetTool(
  options: {
    readonly act?: (signal: AbortSignal) => Promise<void>;
    readonly description?: string;
  } = {},
): { readonly tool: Tool; readonly greeted: string[] } {
  const greeted: string[] = [];
  const tool = defineTool<{ readonly name: string }>({
    id: 'test.greet',
    name: 'greet',
    description: options.description ?? 'Greets somebody.',
    input: {
      type: 'object',
      properties: { name: { type: 'string' } },
      required: ['name'],
      additionalProperties: false,
    },
    sideEffect: 'network_write',
    idempotency: 'idempotent_with_key',
    capabilities: ['test.greeting'],
    async run({ name }, { signal }) {
      await options.act?.(signal);
      greeted.push(name);
      return { kind: 'done', text: `${name} is greeted.` };
    },
  });
  return { tool, greeted };
}

/** Compiles the harness, whatever model it names, and gives what a run is started with. */
export function greeterRequest(
  millforge: Pick<Millforge, 'compile'>,
  workspace: string,
): RunRequest {
  const compiled = compileGreeter(millforge);
  if (!compiled.ok) throw new Error('the harness of this test is wrong');
  return {
    plan: { bytes: new TextDecoder().decode(compiled.bytes), sha256: compiled.sha256 },
    task: 'Greet Ada.',
    workspace,
    model: SCRIPTED,
    grants: GREETER_GRANTS,
  };
}

/** Compiles the harness or a variant of it. */
export function compileGreeter(
  millforge: Pick<Millforge, 'compile'>,
  source: string = GREETER,
): CompileResult {
  return millforge.compile(source, {
    profiles: toModelProfileCatalog(['test.model']),
    request: { grants: GREETER_GRANTS },
  });
}

/** A folder that is removed when the test ends. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'millforge-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** All files below a folder; none where there is no folder. */
export function filesBelow(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, file))
    .filter((file) => statSync(file).isFile());
}
