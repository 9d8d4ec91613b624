// Answers calls that come as lines of JSON, several at a time, with lines of JSON.
import { createInterface } from 'node:readline';

/**
 * Reads calls from standard input until it ends. `call` gets one call with its signal and resolves to
 * `{ isError, text, details }`.
 */
export async function serve(call) {
  const waiting = [];
  let running = 0;
  let isEnded = false;
  const done = Promise.withResolvers?.() ?? withResolvers();
  const next = () => {
    while (running < CALLS_AT_ONCE && waiting.length > 0) {
      const request = waiting.shift();
      running += 1;
      void answer(request).then((line) => {
        process.stdout.write(`${line}\n`);
        running -= 1;
        next();
      });
    }
    if (isEnded && running === 0 && waiting.length === 0) done.resolve();
  };
  const input = createInterface({ input: process.stdin });
  input.on('line', (line) => {
    waiting.push(JSON.parse(line, revive));
    next();
  });
  input.on('close', () => {
    isEnded = true;
    next();
  });
  await done.promise;

  async function answer(request) {
    const start = (one) => {
      const stop = new AbortController();
      if (one.abort === 'before') stop.abort();
      const result = call({ ...one, cwd: request.cwd, profile: request.profile }, stop.signal);
      if (one.abort === 'after') stop.abort();
      if (typeof one.abort === 'number') setTimeout(() => stop.abort(), one.abort);
      return result;
    };
    const begun = performance.now();
    const results = [];
    if (request.isParallel) results.push(...(await Promise.all(request.calls.map(start))));
    else for (const one of request.calls) results.push(await start(one));
    return JSON.stringify({ id: request.id, results, ms: performance.now() - begun });
  }
}

/** Numbers that JSON has no form for. */
function revive(_key, value) {
  return typeof value === 'object' && value !== null && '$number' in value
    ? Number(value.$number)
    : value;
}

function withResolvers() {
  const parts = {};
  parts.promise = new Promise((resolve) => {
    parts.resolve = resolve;
  });
  return parts;
}

const CALLS_AT_ONCE = 8;
