// One call of one tool in a process of its own, so that its time and memory are its own.
import { setTimeout as sleep } from 'node:timers/promises';
import { builtinTools } from '@millforge/builtin-tools';

const [, , workspace = '', name, input = '{}'] = process.argv;
const tool = builtinTools().find((one) => one.descriptor.model_tool_name === name);
if (tool === undefined) throw new Error(`no tool ${name}`);
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
const start = process.memoryUsage.rss();
const begin = performance.now();
const prepared = await tool.implementation.prepare(JSON.parse(input), context);
const result =
  prepared.kind === 'refused'
    ? { kind: 'refused', text: prepared.message }
    : await prepared.run(context);
const ms = performance.now() - begin;
const rss = process.resourceUsage().maxRSS * 1024;
process.stdout.write(JSON.stringify({ ms, rss, start, kind: result.kind, text: result.text }));
