// Makes one call and prints what came of it, in a process that can be stopped from outside.
import { setTimeout as sleep } from 'node:timers/promises';
import { piTools } from '@millforge/pi-tools';

const [workspace = '', tool = '', input = '{}'] = process.argv.slice(2);
const context = {
  runId: 'run-1',
  callId: 'call-1',
  workspace,
  signal: new AbortController().signal,
  clock: { now: () => Date.now(), monotonicMs: () => performance.now(), delay: sleepFor },
  idempotencyKey: `key of ${workspace}`,
};
const tools = piTools({ environment: { PATH: '/usr/bin:/bin' } });
const implementation = tools.find((one) => one.descriptor.model_tool_name === tool)?.implementation;
const prepared = await implementation?.prepare(JSON.parse(input), context);
const result = prepared?.kind === 'prepared' ? await prepared.run(context) : prepared;
process.stdout.write(JSON.stringify(result));

async function sleepFor(ms: number): Promise<void> {
  await sleep(ms);
}
