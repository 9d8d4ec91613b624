// Calls of tools in a process of their own, so that their time and memory are their own.
import { setTimeout as sleep } from 'node:timers/promises';
import { builtinTools } from '@millforge/builtin-tools';

const [, , workspace = '', ...calls] = process.argv;
const context = {
  runId: 'run-1',
  callId: 'call-1',
  workspace,
  signal: new AbortController().signal,
  idempotencyKey: 'key',
  clock: {
    now: () => Date.now(),
    monotonicMs: () => performance.now(),
    delay: (ms: number) => sleep(ms),
  },
};
const tools = builtinTools();
const start = process.memoryUsage.rss();
const answers = [];
for (const call of calls) answers.push(await make(JSON.parse(call)));
process.stdout.write(JSON.stringify(answers));

async function make([name, input]: [string, never]) {
  const tool = tools.find((one) => one.descriptor.model_tool_name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  const begin = performance.now();
  const prepared = await tool.implementation.prepare(input, context);
  const result =
    prepared.kind === 'refused'
      ? { kind: 'refused', text: prepared.message }
      : await prepared.run(context);
  const ms = performance.now() - begin;
  const rss = process.resourceUsage().maxRSS * 1024;
  return { ms, rss, start, kind: result.kind, text: result.text };
}
