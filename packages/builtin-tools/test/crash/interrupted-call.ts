// Makes one call and is killed at a given point of it; prints the evidence that a log would have kept.
import { setTimeout as sleep } from 'node:timers/promises';
import { builtinTools } from '@millforge/builtin-tools';

const [workspace = '', tool = '', phase = '', nth = '1', input = '{}'] = process.argv.slice(2);
const context = {
  runId: 'run-1',
  callId: 'call-1',
  workspace,
  signal: new AbortController().signal,
  clock: { now: () => Date.now(), monotonicMs: () => performance.now(), delay: sleepFor },
  idempotencyKey: 'key',
};
let met = 0;
const tools = builtinTools({
  onEffect: (at) => {
    if (at === phase && ++met === Number(nth)) process.kill(process.pid, 'SIGKILL');
  },
});
const implementation = tools.find((one) => one.descriptor.model_tool_name === tool)?.implementation;
const prepared = await implementation?.prepare(JSON.parse(input), context);
if (prepared?.kind !== 'prepared') throw new Error('the call was refused');
process.stdout.write(JSON.stringify(prepared.before));
await prepared.run(context);

async function sleepFor(ms: number): Promise<void> {
  await sleep(ms);
}
