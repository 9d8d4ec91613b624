import {
  canonicalJson,
  type JsonObject,
  type ModelClient,
  type ModelReply,
  type ModelRequest,
  type PlanBudgets,
} from '@millforge/contracts';
import { findTranscriptProblems } from '@millforge/models/testing';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildPlan, schemaOf } from '../support/builder-plan.ts';
import { runScript } from '../support/scripted-run.ts';

/** A call that a model may mean. */
interface Meant {
  readonly name: string;
  readonly args: JsonObject;
}

/** What the model means to do, in this order. */
const ORACLE: readonly Meant[] = [
  { name: 'read', args: { path: 'src/süß.ts', limit: 10 } },
  { name: 'edit', args: { path: 'src/süß.ts', text: 'if (a) { return "}"; }\n', all: true } },
  { name: 'read', args: { path: 'src/b.ts', limit: 7 } },
  { name: 'submit', args: { summary: 'It is mended.' } },
];

/** What no model means: it stands in examples and remarks only. */
const POISON = { path: '/etc/POISON', limit: 1 };

type Damage = (meant: Meant) => Partial<ModelReply>;

const calls = (...list: readonly (readonly [string, string])[]): Partial<ModelReply> => ({
  tool_calls: list.map(([name, args], index) => ({ id: `call_${index}`, name, arguments: args })),
  finish_reason: 'tool_calls',
});
const json = (value: unknown) => JSON.stringify(value);
const call = ({ name, args }: Meant, text = json(args)) => calls([name, text]);
const text = (content: string | null, more: Partial<ModelReply> = {}) => ({ content, ...more });
const poison = json({ name: 'read', arguments: POISON });

const DAMAGES: Readonly<Record<string, Damage>> = {
  none: (meant) => call(meant),
  prose: () => text('The file looks fine to me.'),
  announced: ({ name }) => text(`Let me call ${name} first.`),
  empty: () => text(null),
  blank: () => text(' \n'),
  'thought only': () => text('<think>I should read the file.'),
  'reasoning only': () => text(null, { reasoning: 'I should read the file.' }),
  'reasoning with a call in it': () => text(null, { reasoning: `Maybe ${poison}` }),
  refusal: () => text('I cannot access files.'),
  'cut text': () => text('The file', { finish_reason: 'length' }),
  'think tags beside the call': (meant) => ({ ...call(meant), content: '<think>Hm.</think>' }),
  'wrong finish reason': (meant) => ({ ...call(meant), finish_reason: 'stop' }),
  'a documented example': () => text(`You could call \`${poison}\` for that.`),
  'an example in a list': () => text(`1. Read it: ${poison}\n2. Mend it.\n3. Submit.`),
  'a quoted document': () => text(`The README says:\n> ${poison}\nSo I did nothing.`),
  'a call as JSON': ({ name, args }) => text(json({ name, arguments: args })),
  'a call in a fence': ({ name, args }) =>
    text(`Sure!\n\`\`\`json\n${json({ name, arguments: args })}\n\`\`\``),
  'a call in a tag': ({ name, args }) =>
    text(`<tool_call>\n${json({ name, arguments: args })}\n</tool_call>`),
  'a call in brackets': ({ name, args }) => text(`[TOOL_CALLS]${name}${json(args)}`),
  'an open tag': ({ name }) => text(`<tool_call>\n{"name":"${name}","arguments":{`),
  'arguments without the last brace': (meant) => call(meant, json(meant.args).slice(0, -1)),
  'arguments cut by the limit': (meant) => ({
    ...call(meant, json(meant.args).slice(0, 12)),
    finish_reason: 'length',
  }),
  'arguments encoded twice': (meant) => call(meant, json(json(meant.args))),
  'null as arguments': (meant) => call(meant, 'null'),
  'a list as arguments': (meant) => call(meant, json([meant.args])),
  'a number as arguments': (meant) => call(meant, '7'),
  'words as arguments': (meant) => call(meant, 'the usual ones'),
  'no arguments': (meant) => call(meant, '{}'),
  'values as text': (meant) =>
    call(
      meant,
      json(
        Object.fromEntries(
          Object.entries(meant.args).map(([key, value]) => [
            key,
            typeof value === 'string' ? value : json(value),
          ]),
        ),
      ),
    ),
  'an argument that nobody asked for': (meant) =>
    call(meant, json({ ...meant.args, recursive: true })),
  'one key twice': (meant) => call(meant, `{"path":"/etc/POISON",${json(meant.args).slice(1)}`),
  'a prototype': (meant) =>
    call(meant, `{"__proto__":{"path":"/etc/POISON"},${json(meant.args).slice(1)}`),
  'not a number': (meant) => call(meant, json(meant.args).replace(/\d+/, 'NaN')),
  'half a character': (meant) => call(meant, json(meant.args).replace('"}', '\\ud83d"}')),
  'an invented tool': () => calls(['search_database', '{"query":"x"}']),
  'a tool in another spelling': ({ name, args }) => calls([`functions.${name}`, json(args)]),
  'an empty name': ({ args }) => calls(['', json(args)]),
  'a call beside an invented one': ({ name, args }) =>
    calls([name, json(args)], ['search_database', '{}']),
  'one call twice': ({ name, args }) => calls([name, json(args)], [name, json(args)]),
  'the end too early': () => calls(['submit', '{"summary":"It is mended."}']),
  'the end beside a step': ({ name, args }) =>
    calls([name, json(args)], ['submit', '{"summary":"It is mended."}']),
};

/** The model: it goes on in its plan as far as the results say that it has come. */
function faultyModel(
  damages: readonly string[],
  done: () => number,
): ModelClient & {
  readonly requests: ModelRequest[];
} {
  const requests: ModelRequest[] = [];
  return {
    requests,
    async complete(request) {
      const damage = DAMAGES[damages[requests.length] ?? 'none'];
      requests.push({ messages: [...request.messages], tools: request.tools });
      const meant = ORACLE[Math.min(done(), ORACLE.length - 1)];
      if (meant === undefined || damage === undefined) throw new Error('The oracle is empty.');
      const reply: ModelReply = {
        content: null,
        reasoning: null,
        tool_calls: [],
        finish_reason: 'stop',
        usage: null,
        provider_model: null,
        ...damage(meant),
      };
      return { kind: 'reply', attempts: 1, reply };
    },
  };
}

async function runFaulty(
  damages: readonly string[],
  {
    contextTokens = 100_000,
    ...budgets
  }: Partial<PlanBudgets> & { readonly contextTokens?: number } = {},
) {
  const executed: Meant[] = [];
  const tool = (name: string) => ({
    run: async (args: JsonObject) => {
      executed.push({ name, args });
      return { kind: 'done' as const, text: `${name} done ${executed.length}` };
    },
  });
  const built = buildPlan(
    [
      {
        id: 'read',
        required: true,
        input: schemaOf({ path: 'string', limit: 'integer' }),
        tool: tool('read'),
      },
      {
        id: 'edit',
        required: true,
        after: ['read'],
        input: schemaOf({ path: 'string', text: 'string', all: 'boolean' }),
        tool: tool('edit'),
      },
      { id: 'submit', terminal: 'COMPLETE', tool: tool('submit') },
    ],
    {
      budgets: { max_iterations: 60, ...budgets },
      context: {
        strategy_id: 'forge.tiered.v1',
        budget_tokens: contextTokens,
        keep_recent_iterations: 1,
        phase_thresholds: [0.6, 0.7, 0.8],
      },
    },
  );
  const isNext = (at: number, { name, args }: Meant) =>
    ORACLE[at]?.name === name && json(ORACLE[at].args) === json(args);
  // A call that is repeated takes the model no further.
  const done = () => executed.reduce((at, one) => (isNext(at, one) ? at + 1 : at), 0);
  const model = faultyModel(damages, done);
  const run = await runScript(built, [], { model });
  return { ...run, model, executed };
}

const MEANT = new Set(ORACLE.map(({ name, args }) => canonicalJson({ name, args })));

test('whatever a model does wrong, what goes to it is valid, and what is executed was meant', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...Object.keys(DAMAGES)), { maxLength: 24 }),
      // The smaller ones are shortened, down to their summaries.
      fc.constantFrom(100_000, 1000, 700, 500),
      async (damages, contextTokens) => {
        const { model, executed, outcome } = await runFaulty(damages, { contextTokens });
        for (const { messages } of model.requests) {
          expect(findTranscriptProblems(messages)).toEqual([]);
        }
        for (const { name, args } of executed) {
          expect(MEANT).toContain(canonicalJson({ name, args }));
        }
        expect(['success', 'budget_exhausted']).toContain(outcome.status);
      },
    ),
    { numRuns: Number(process.env['MILLFORGE_PROPERTY_RUNS'] ?? 400) },
  );
});

/** Mistakes of one kind each, and the budget that they are charged to. */
const CHARGES = [
  ['max_validation_retries', 'prose', 'validation_retries_exhausted'],
  ['max_validation_retries', 'empty', 'validation_retries_exhausted'],
  ['max_validation_retries', 'an invented tool', 'validation_retries_exhausted'],
  ['max_tool_errors', 'a list as arguments', 'tool_errors_exhausted'],
  ['max_tool_errors', 'no arguments', 'tool_errors_exhausted'],
  ['max_premature_terminal_attempts', 'the end too early', 'premature_terminals_exhausted'],
] as const;

test.each(
  CHARGES.flatMap(([budget, damage, failure]) =>
    [1, 2, 5].map((limit) => [damage, limit, budget, failure] as const),
  ),
)('%s is forgiven %i times and not once more (%s)', async (...row) => {
  const [damage, limit, budget, failure] = row;
  const budgets = { [budget]: limit };
  const times = (count: number) => Array.from({ length: count }, () => damage);
  const atLimit = await runFaulty(times(limit), budgets);
  expect(atLimit.outcome).toMatchObject({ status: 'success', turns: limit + ORACLE.length });
  const over = await runFaulty(times(limit + 1), budgets);
  expect(over.outcome).toMatchObject({
    status: 'budget_exhausted',
    failure_class: failure,
    turns: limit + 1,
  });
  // A success in between begins a new count.
  const twice = await runFaulty([...times(limit), 'none', ...times(limit)], budgets);
  expect(twice.outcome).toMatchObject({ status: 'success', turns: 2 * limit + ORACLE.length });
});

test('model turns are allowed to their number and not once more', async () => {
  expect((await runFaulty([], { max_iterations: 4 })).outcome.status).toBe('success');
  expect((await runFaulty([], { max_iterations: 3 })).outcome).toMatchObject({
    status: 'budget_exhausted',
    failure_class: 'iterations_exhausted',
    turns: 3,
  });
});
