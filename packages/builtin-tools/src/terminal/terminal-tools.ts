import {
  type Disposition,
  inferDisposition,
  type JsonObject,
  type LiveToolContext,
  type Tool,
} from '@millforge/contracts';
import { optionalStrings, stringArgument } from '../arguments.ts';
import type { BuiltinRun, FindRun } from '../builtin-run.ts';
import { defineBuiltinTool, STRING, STRINGS } from '../define-builtin-tool.ts';
import { answering, refusing, toolFault } from '../tool-faults.ts';

/** Makes the three tools that end a run: submit, reject, escalate. They change nothing themselves. */
export function terminalTools(findRun: FindRun): readonly Tool[] {
  return TERMINALS.map((terminal) => terminalTool(findRun, terminal));
}

interface Terminal {
  readonly name: string;
  readonly description: string;
  /** Texts that it demands besides a summary, and hands on. */
  readonly texts: readonly string[];
}

const TERMINALS: readonly Terminal[] = [
  {
    name: 'submit',
    description:
      'End the run: the task is done. Call it once, last, with the terminal_result of this harness and a summary of what was done and how it was checked.',
    texts: [],
  },
  {
    name: 'reject',
    description:
      'End the run: what you were given cannot be accepted. Call it with the terminal_result of this harness and a summary of what is wrong.',
    texts: [],
  },
  {
    name: 'escalate',
    description:
      'End the run: a person has to take over. Call it with the terminal_result of this harness, a summary of what was done, and the blocker: what keeps you from going on.',
    texts: ['blocker'],
  },
];

function terminalTool(findRun: FindRun, { name, description, texts }: Terminal): Tool {
  const toolId = `builtin.terminal.${name}`;
  const properties = Object.fromEntries(texts.map((text) => [text, STRING]));
  return defineBuiltinTool({
    idEnd: `terminal.${name}`,
    name: `${name}_terminal_intent`,
    description,
    properties: {
      terminal_result: STRING,
      summary: STRING,
      ...properties,
      artifact_refs: STRINGS,
    },
    required: ['terminal_result', 'summary', ...texts],
    results: {
      terminal_result: STRING,
      disposition: { type: 'string', enum: ['success', 'blocked', 'rejected', 'escalated'] },
      artifact_refs: STRINGS,
      ...properties,
    },
    requiredResults: ['terminal_result', 'disposition', 'artifact_refs', ...texts],
    sideEffect: 'terminal',
    idempotency: 'non_idempotent',
    capabilities: ['terminal.intent'],
    limits: { timeoutSeconds: 30, graceSeconds: 5 },
    check(input) {
      const blank = ['summary', ...texts].find((text) => stringArgument(input, text).trim() === '');
      if (blank === undefined) return null;
      const message = `${blank} must not be blank; say in a sentence what is so.`;
      return { kind: 'refused', code: 'invalid_arguments', message };
    },
    prepare: (input, context) =>
      refusing(async () => {
        const run = findRun(context.runId);
        const refs = await acceptedRefs(run, input);
        return {
          kind: 'prepared',
          before: null,
          run: ({ signal }: LiveToolContext) =>
            answering(signal, async () => intent(input, { toolId, run, refs, texts })),
        };
      }),
  });
}

/**
 * The artifacts that the end rests on: those that the run has, or those of them that the model names.
 *
 * @throws `tool/terminal_intent_invalid` for one that the run does not have, or lacks.
 */
async function acceptedRefs(run: BuiltinRun | null, input: JsonObject): Promise<readonly string[]> {
  const present = run === null ? [] : (await run.artifacts.list()).map((one) => one.artifact_id);
  const named = optionalStrings(input, 'artifact_refs');
  const unknown = named?.find((id) => !present.includes(id));
  if (unknown !== undefined) {
    const known = present.length === 0 ? 'none' : present.join(', ');
    throw toolFault(
      'terminal_intent_invalid',
      `artifact_absent: artifact_refs names ${unknown.slice(0, 128)}, but this run has ${known}.`,
    );
  }
  const result = stringArgument(input, 'terminal_result');
  const required = run?.plan.artifact_policy.required_by_terminal ?? [];
  const missing = required
    .filter((one) => one.terminal_result === result)
    .flatMap(({ artifact_ids }) => artifact_ids.filter((id) => !present.includes(id)));
  if (missing.length > 0) {
    throw toolFault(
      'terminal_intent_invalid',
      `artifact_absent: ${result.slice(0, 128)} needs ${missing.join(', ')}; write that first.`,
    );
  }
  return named ?? present;
}

function intent(
  input: JsonObject,
  end: {
    readonly toolId: string;
    readonly run: BuiltinRun | null;
    readonly refs: readonly string[];
    readonly texts: readonly string[];
  },
) {
  const { toolId, run, refs, texts } = end;
  const summary = stringArgument(input, 'summary');
  const result = stringArgument(input, 'terminal_result');
  const said = texts.map((text) => [text, stringArgument(input, text)] as const);
  const whole = [summary, ...said.map(([text, words]) => `${text}: ${words}`)].join('\n');
  return {
    kind: 'done' as const,
    text: whole,
    data: {
      status: 'success',
      summary: whole,
      terminal_result: result,
      disposition: dispositionOf(run, { toolId, result }),
      artifact_refs: refs,
      ...Object.fromEntries(said),
    },
  };
}

/** What the plan says the end means; a plan of version 1.0 says it by names. */
function dispositionOf(
  run: BuiltinRun | null,
  end: { readonly toolId: string; readonly result: string },
): Disposition {
  const node = run?.plan.nodes.find((one) => one.terminal_result === end.result);
  return node?.disposition ?? inferDisposition(end.toolId, end.result);
}
