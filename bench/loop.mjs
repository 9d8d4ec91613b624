import { Agent } from '@earendil-works/pi-agent-core';
import { createAssistantMessageEventStream } from '@earendil-works/pi-ai';
import {
  createRedactor,
  defineTool,
  planBytes,
  planDigest,
} from '../packages/contracts/dist/index.js';
import { manualClock } from '../packages/contracts/dist/testing.js';
import { createRegistry, createToolExecutor } from '../packages/registry/dist/index.js';
import { memoryOperationLog, runPlan } from '../packages/runtime/dist/index.js';
import { compare, median, report, timed } from './measure.mjs';
import { runAiSdk } from './peers/ai-sdk.mjs';
import { runLangGraph } from './peers/langgraph.mjs';
import { runOpenAiAgents } from './peers/openai-agents.mjs';

const at =
  (turns, run = runOurs) =>
  () =>
    timed(() => times(1000 / turns, () => run(turns)), 1000);
const hundred = (run, repeats) => () => timed(() => times(repeats, () => run(100)), 100 * repeats);

/** One turn in memory against one turn of other loops, how a turn grows with the run, and what stays. */
export async function benchLoop() {
  // Before an engine has compiled a loop, its turns tell how much code there is to compile.
  await times(100, () => runOurs(100));
  await times(100, () => runTheirs(100));
  const measured = new Map();
  for (const turns of [10, 100, 400, 1000]) {
    // Short samples, many of them: then what slows the machine down for a moment slows both sides down.
    const repeats = Math.max(1, Math.round(200 / turns));
    const ours = () => timed(() => times(repeats, () => runOurs(turns)), turns * repeats);
    const theirs = () => timed(() => times(repeats, () => runTheirs(turns)), turns * repeats);
    const found = await compare(ours, theirs, Math.max(9, Math.round(40_000 / (turns * repeats))));
    measured.set(turns, found);
    report(`loop at ${turns} turns / pi-agent-core`, found, 'turn');
  }
  reportFit('ours', measured);
  reportFit('theirs', measured);
  for (const { peer, run } of [
    { peer: 'ai', run: runAiSdk },
    { peer: 'LangGraph', run: runLangGraph },
    { peer: 'OpenAI Agents', run: runOpenAiAgents },
  ]) {
    report(
      `loop at 100 turns / ${peer}`,
      await compare(hundred(runOurs, 8), hundred(run, 1), 7),
      'turn',
    );
  }
  report('our turn at 1,000 turns / at 100', await compare(at(1000), at(100), 11), 'turn');
  report(
    'shortened: our turn at 1,000 / at 100',
    await compare(at(1000, runShortened), at(100, runShortened), 7),
    'turn',
  );
  await reportHeap();
  await reportResident();
}

/** What a run takes before its first turn, and what each turn adds: a line through 10 and 400 turns. */
function reportFit(side, measured) {
  const [few, many] = [10, 400];
  const [short, long] = [few, many].map((turns) => measured.get(turns)[side] * turns);
  const perTurn = (long - short) / (many - few);
  const fixed = short - few * perTurn;
  process.stdout.write(
    `${side}: ${fixed.toFixed(0)} µs for a run and ${perTurn.toFixed(1)} µs for each of its turns\n`,
  );
}

/** What a hundred runs of a hundred turns leave in the process, after as many to warm up. */
async function reportResident() {
  if (globalThis.gc === undefined) return;
  await times(100, () => runOurs(100));
  globalThis.gc();
  const before = process.memoryUsage().rss;
  await times(100, () => runOurs(100));
  globalThis.gc();
  const grown = (process.memoryUsage().rss - before) / 1048576;
  process.stdout.write(
    `resident memory after 100 runs of 100 turns: ${grown.toFixed(1)} MiB more\n`,
  );
}

async function reportHeap() {
  if (globalThis.gc === undefined) return;
  const grown = [];
  for (let round = 0; round < 5; round += 1) {
    globalThis.gc();
    const before = process.memoryUsage().heapUsed;
    let peak = before;
    await runOurs(400, () => {
      peak = Math.max(peak, process.memoryUsage().heapUsed);
    });
    grown.push(peak - before);
  }
  process.stdout.write(
    `heap growth during 400 turns: ${(median(grown) / 1048576).toFixed(1)} MiB\n`,
  );
}

async function times(count, work) {
  for (let index = 0; index < count; index += 1) await work();
}

const noop = defineTool({
  id: 'bench.noop',
  name: 'noop',
  description: 'Does nothing.',
  input: {
    type: 'object',
    additionalProperties: false,
    properties: { n: { type: 'integer' } },
    required: ['n'],
  },
  sideEffect: 'read_only',
  idempotency: 'idempotent',
  run: async () => ({ kind: 'done', text: 'ok' }),
});
const done = defineTool({
  id: 'bench.done',
  name: 'done',
  description: 'Ends the run.',
  input: { type: 'object', additionalProperties: false, properties: {}, required: [] },
  sideEffect: 'terminal',
  idempotency: 'non_idempotent',
  capabilities: ['terminal.intent'],
  run: async () => ({ kind: 'done', text: 'done' }),
});
const registry = createRegistry();
registry.register(noop, done);
const snapshot = registry.freeze();
const redactor = createRedactor();
const clock = manualClock();

// Made by hand: the language stops at 256 turns.
function planOf(turns, budgetTokens = 1000000) {
  const plan = {
    schema_version: '1.0',
    kind: 'compiled_millforge_harness',
    harness_id: 'bench.loop',
    harness_version: 1,
    source_sha256: '0'.repeat(64),
    compiled_sha256: '0'.repeat(64),
    stage_kind_ids: ['bench'],
    model_profile: { profile_id: 'bench' },
    prompt_policy: {
      policy_id: 'bench',
      system_instructions: 'Call noop.',
      include_request_context: false,
    },
    budgets: {
      max_iterations: turns + 1,
      max_validation_retries: 1,
      max_tool_errors: 1,
      max_prerequisite_violations: 1,
      max_premature_terminal_attempts: 1,
    },
    context_policy: {
      strategy_id: 'forge.tiered.v1',
      budget_tokens: budgetTokens,
      keep_recent_iterations: 4,
      phase_thresholds: [0.6, 0.8, 1],
    },
    nodes: [nodeOf(done, 'COMPLETE'), nodeOf(noop, null)],
    required_capabilities: ['terminal.intent'],
    terminal_result_map: { done: 'COMPLETE' },
    artifact_policy: { declared_artifact_ids: [], required_by_terminal: [] },
    compiler_identity: { name: 'bench', version: '1', build_id: 'bench' },
  };
  const sha256 = planDigest(plan);
  return { bytes: planBytes({ ...plan, compiled_sha256: sha256 }), sha256 };
}

function nodeOf({ descriptor }, terminal) {
  return {
    node_id: descriptor.model_tool_name,
    model_tool_name: descriptor.model_tool_name,
    description: descriptor.description,
    input_schema: descriptor.input_schema,
    binding: {
      tool_id: descriptor.tool_id,
      tool_version: 1,
      descriptor_sha256: snapshot.findTool(descriptor.tool_id, 1).descriptorSha256,
      implementation_id: descriptor.implementation_id,
    },
    prerequisites: [],
    required: false,
    terminal_result: terminal,
    required_capabilities: [...descriptor.required_capabilities],
    produced_artifact_ids: [],
    side_effect_class: descriptor.side_effect_class,
    idempotency: descriptor.idempotency,
  };
}

const plans = new Map();

/** A run whose conversation does not fit, so that it is shortened again and again. */
function runShortened(turns) {
  return runOurs(turns, undefined, 2000);
}

async function runOurs(turns, onTurn, budgetTokens) {
  const key = `${turns} ${budgetTokens}`;
  if (!plans.has(key)) plans.set(key, planOf(turns, budgetTokens));
  let turn = 0;
  const outcome = await runPlan(plans.get(key), {
    task: 'Go.',
    runId: 'bench',
    workspace: null,
    grants: ['terminal.intent'],
    executor: (plan) =>
      createToolExecutor({
        plan,
        snapshot,
        implementations: snapshot.implementations,
        clock,
        redactor,
      }),
    model: {
      async complete() {
        onTurn?.();
        const call =
          turn < turns
            ? { id: `c${turn}`, name: 'noop', arguments: `{"n":${turn}}` }
            : { id: 'end', name: 'done', arguments: '{}' };
        turn += 1;
        const reply = {
          content: null,
          reasoning: null,
          tool_calls: [call],
          finish_reason: 'tool_calls',
          usage: null,
          provider_model: null,
        };
        return { kind: 'reply', attempts: 1, reply };
      },
    },
    operations: memoryOperationLog({ clock, ids: { newId: (prefix) => `${prefix}_x` } }),
    trail: { append() {} },
    clock,
  });
  if (outcome.status !== 'success') throw new Error(JSON.stringify(outcome));
}

const model = {
  id: 'm',
  name: 'm',
  api: 'openai-completions',
  provider: 'bench',
  baseUrl: 'http://127.0.0.1',
  reasoning: false,
  input: ['text'],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1000000,
  maxTokens: 1000,
};
const usage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

async function runTheirs(turns) {
  let turn = 0;
  let calls = 0;
  const agent = new Agent({
    initialState: {
      systemPrompt: 'Call noop.',
      model,
      tools: [
        {
          name: 'noop',
          label: 'noop',
          description: 'Does nothing.',
          parameters: noop.descriptor.input_schema,
          async execute() {
            calls += 1;
            return { content: [{ type: 'text', text: 'ok' }], details: {} };
          },
        },
      ],
    },
    streamFn() {
      const stream = createAssistantMessageEventStream();
      const last = turn >= turns;
      const message = {
        role: 'assistant',
        // Arguments come as text to both sides, as from a server; here it is the client that reads them.
        content: last
          ? [{ type: 'text', text: 'done' }]
          : [
              {
                type: 'toolCall',
                id: `c${turn}`,
                name: 'noop',
                arguments: JSON.parse(`{"n":${turn}}`),
              },
            ],
        api: model.api,
        provider: model.provider,
        model: model.id,
        usage,
        stopReason: last ? 'stop' : 'toolUse',
        timestamp: 0,
      };
      turn += 1;
      stream.push({ type: 'done', reason: message.stopReason, message });
      stream.end(message);
      return stream;
    },
  });
  await agent.prompt('Go.');
  if (calls !== turns) throw new Error(`pi-agent-core made ${calls} of ${turns} calls`);
}
