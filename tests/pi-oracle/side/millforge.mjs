// The tools of Millforge, in the profile that each call asks for.
import { setTimeout as sleep } from 'node:timers/promises';
import { validateJson } from '@millforge/contracts';
import { piTools } from '@millforge/pi-tools';
import { hostOptions } from './host-options.mjs';
import { imageLine } from './image-line.mjs';
import { serve } from './serve.mjs';

const clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  delay: (ms, signal) => sleep(ms, undefined, signal === undefined ? {} : { signal }),
};
let calls = 0;

await serve(async ({ tool: name, input, cwd, profile, shell, host }, signal) => {
  const updates = [];
  const tools = piTools({
    profile,
    environment: process.env,
    homeDirectory: process.env.HOME,
    logDirectory: process.env.TMPDIR,
    ...(shell === undefined ? {} : { shellPath: shell }),
    ...hostOptions(host),
    autoResizeImages: host !== 'unscaled',
  });
  const { descriptor, implementation: tool } = tools.find(
    (one) => one.descriptor.model_tool_name === name,
  );
  const fault = host === 'check' ? validateJson(input, descriptor.input_schema) : null;
  if (fault !== null) return failed(tool.explainArguments?.(input) ?? fault.message);
  calls += 1;
  const key = `call ${process.pid} ${calls}`;
  const context = {
    runId: 'r',
    callId: key,
    workspace: cwd,
    signal,
    clock,
    idempotencyKey: key,
    ...(host === 'watch' ? { onUpdate: (text) => updates.push(text) } : {}),
  };
  try {
    const prepared = tool.check?.(input, context) ?? (await tool.prepare(input, context));
    if (prepared.kind === 'refused') return failed(prepared.message);
    try {
      const result = await prepared.run(context);
      if (result.kind === 'failed') return failed(result.text);
      const seen = updates.map((update) => `saw ${JSON.stringify(update)}\n`).join('');
      const images = (result.images ?? []).map(({ mediaType, data }) => imageLine(mediaType, data));
      const text = seen + [result.text, ...images].join('\n');
      return { isError: false, text, details: detailsOf(name, result.data) };
    } finally {
      await prepared.dispose?.();
    }
  } catch (error) {
    return failed(error.message);
  }
});

function failed(text) {
  return { isError: true, text, details: {} };
}

function detailsOf(name, data) {
  if (name === 'edit') {
    const { diff, patch, first_changed_line: firstChangedLine } = data;
    return { diff, patch, firstChangedLine };
  }
  return name === 'write' ? {} : { truncated: data.truncated };
}
