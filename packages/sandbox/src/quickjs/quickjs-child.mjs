// The child process that carries QuickJS: one fresh instance of the engine for each call, one line of JSON
// each way. It ends with its input. `--parent=PID` makes it end with that process even while code runs; walls
// around it do the same.
// @ts-check
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

/**
 * @typedef {object} Call
 * @property {string} source
 * @property {string} entry
 * @property {string} input JSON text of the argument.
 * @property {number} memoryBytes
 * @property {number} timeoutMs
 * @property {number} outputBytes
 * @property {number} nowMs
 * @property {number} seed
 */
/**
 * @typedef {object} Reply
 * @property {'returned' | 'threw' | 'stopped' | 'crashed'} kind
 * @property {string} [value] JSON text.
 * @property {string} [name]
 * @property {string} [message]
 * @property {string} [limit]
 * @property {string} stdout
 * @property {string} stderr
 * @property {number} usedBytes
 */

const WATCH_MS = 200;
/** What the engine starts with: its own stack and tables. */
const ENGINE_PAGES = 256;
/** What the engine needs for itself when code runs. */
const ENGINE_BYTES = 4 * 1024 * 1024;
const PAGE_BYTES = 65_536;
/** Memory beyond the limit for what the code threw to be told. */
const TELLING_BYTES = 1024 * 1024;
/** A larger stack runs over that of the engine, which aborts it. */
const STACK_BYTES = 128 * 1024;

if (isMainThread) void serve();
else watch(workerData);

async function serve() {
  const parent = process.argv.find((argument) => argument.startsWith('--parent='));
  if (parent !== undefined) {
    const pid = Number(parent.slice('--parent='.length));
    new Worker(fileURLToPath(import.meta.url), { workerData: pid, env: {} }).unref();
  }
  const prepare = await loadEngine();
  let next = prepare();
  process.stdout.write('{"kind":"ready"}\n');
  const lines = createInterface({ input: process.stdin });
  for await (const line of lines) {
    /** @type {Call} */
    const call = JSON.parse(line);
    const room = await next;
    process.stdout.write(`${JSON.stringify(perform(room, call))}\n`);
    // Made between calls, so that no call waits for it.
    next = prepare();
  }
  process.exit(0);
}

/**
 * A built-in function of the engine keeps its thread busy past any interrupt; this one stays awake.
 *
 * @param {number} parent
 */
function watch(parent) {
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  }, WATCH_MS);
}

/**
 * A fresh engine, ready for one call: nothing is left in it of the call before.
 *
 * @typedef {object} Room
 * @property {WebAssembly.Memory} memory
 * @property {Growth} growth
 * @property {import('quickjs-emscripten-core').QuickJSRuntime} runtime
 * @property {import('quickjs-emscripten-core').QuickJSContext} context
 * @property {(name: 'configure' | 'start' | 'finish' | 'describe', ...values: Handle[]) => Outcome} use
 * @property {{ stdout: string, stderr: string, left: number, isFull: boolean }} output
 */
/** @typedef {import('quickjs-emscripten-core').QuickJSHandle} Handle */
/** @typedef {{ error?: undefined, value: Handle } | { error: Handle }} Outcome */

async function loadEngine() {
  const core = await import('quickjs-emscripten-core');
  const variant = (await import('@jitl/quickjs-wasmfile-release-sync')).default;
  const file = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm');
  const wasmModule = await WebAssembly.compile(readFileSync(file));
  /** @returns {Promise<Room>} */
  return async () => {
    const memory = new WebAssembly.Memory({ initial: ENGINE_PAGES, maximum: MOST_PAGES });
    const growth = boundGrowth(memory);
    const made = core.newVariant(variant, { wasmModule, wasmMemory: memory });
    const quickjs = await core.newQuickJSWASMModuleFromVariant(made);
    const runtime = quickjs.newRuntime();
    runtime.setMaxStackSize(STACK_BYTES);
    const context = runtime.newContext();
    const output = { stdout: '', stderr: '', left: 0, isFull: false };
    const write = context.newFunction('write', (which, text) => {
      const written = context.getString(text);
      output.left -= Buffer.byteLength(written);
      if (output.left < 0) output.isFull = true;
      else output[context.getNumber(which) === 2 ? 'stderr' : 'stdout'] += written;
    });
    const prelude = context.unwrapResult(context.evalCode(PRELUDE, 'sandbox.js'));
    const tools = context.unwrapResult(context.callFunction(prelude, context.undefined, write));
    const kept = new Map(
      ['configure', 'start', 'finish', 'describe'].map((name) => [
        name,
        context.getProp(tools, name),
      ]),
    );
    return {
      memory,
      growth,
      runtime,
      context,
      output,
      use: (name, ...values) =>
        context.callFunction(kept.get(name) ?? context.undefined, context.undefined, ...values),
    };
  };
}

/**
 * The engine compares single pieces with its limit and does not know their sum here, so it is the memory as a
 * whole that must not grow.
 *
 * @typedef {object} Growth
 * @property {(bytes: number) => void} allow Sets how large the memory may become.
 * @property {() => boolean} wasRefused Whether it wanted to become larger.
 *
 * @param {WebAssembly.Memory} memory
 * @returns {Growth}
 */
function boundGrowth(memory) {
  let most = MOST_PAGES * PAGE_BYTES;
  let isRefused = false;
  const grow = memory.grow.bind(memory);
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * PAGE_BYTES <= most) return grow(pages);
    isRefused = true;
    throw new RangeError('The memory is full.');
  };
  return {
    allow(bytes) {
      most = bytes;
    },
    wasRefused: () => isRefused,
  };
}

/**
 * @param {Room} room
 * @param {Call} call
 * @returns {Reply}
 */
function perform(room, call) {
  const { runtime, output, memory, growth } = room;
  const end = performance.now() + call.timeoutMs;
  let isLate = false;
  output.left = call.outputBytes;
  runtime.setMemoryLimit(call.memoryBytes);
  growth.allow(ENGINE_BYTES + call.memoryBytes);
  runtime.setInterruptHandler(() => {
    isLate ||= performance.now() > end;
    return isLate || output.isFull;
  });
  /** @type {Partial<Reply>} */
  let outcome;
  try {
    outcome = runIn(room, call);
  } catch (error) {
    // What the stack of the engine itself does not hold.
    outcome =
      error instanceof RangeError ? stopped('stack') : { kind: 'crashed', message: String(error) };
  }
  if (output.isFull) outcome = stopped('output');
  else if (isLate) outcome = stopped('time');
  const { stdout, stderr } = output;
  return { kind: 'crashed', ...outcome, stdout, stderr, usedBytes: memory.buffer.byteLength };
}

/**
 * @param {Room} room
 * @param {Call} call
 * @returns {Partial<Reply>}
 */
function runIn({ context, runtime, use, output, growth }, call) {
  const failed = (/** @type {Handle} */ error) => {
    // What is told about a lack of memory needs some; it is the code's own, which may take all that there is.
    runtime.setMemoryLimit(call.memoryBytes + TELLING_BYTES);
    growth.allow(ENGINE_BYTES + call.memoryBytes + TELLING_BYTES);
    const told = use('describe', error);
    const text = told.error ? 'Error\nThe code threw.' : context.getString(told.value);
    const [name = 'Error', ...rest] = text.split('\n');
    const message = rest.join('\n');
    // Where there is no room for an error either, the engine throws null.
    if (growth.wasRefused() && text === 'Error\nnull') return stopped('memory');
    // The code could throw the like of them, and would only speak of itself.
    if (name === 'InternalError' && message === 'out of memory') return stopped('memory');
    if (name === 'InternalError' && message === 'stack overflow') return stopped('stack');
    return { kind: /** @type {const} */ ('threw'), name, message };
  };

  use('configure', context.newNumber(call.nowMs), context.newNumber(call.seed));
  const loaded = settle(
    { context, runtime },
    context.evalCode(call.source, 'module.js', { type: 'module' }),
  );
  if (loaded.error) return failed(loaded.error);
  const names = [context.newString(call.entry), context.newString(call.input)];
  const value = settle({ context, runtime }, use('start', loaded.value, ...names));
  if (value.error) return failed(value.error);
  const told = use('finish', value.value);
  if (told.error) return failed(told.error);
  if (context.typeof(told.value) !== 'string') {
    const message = 'The function returned nothing that JSON can hold.';
    return { kind: 'threw', name: 'TypeError', message };
  }
  // Of a text in UTF-8 no character takes less than a byte.
  const length = context.getNumber(context.getProp(told.value, 'length'));
  if (length > output.left) return stopped('output');
  const text = context.getString(told.value);
  return Buffer.byteLength(text) > output.left
    ? stopped('output')
    : { kind: 'returned', value: text };
}

/**
 * @param {string} limit
 * @returns {Partial<Reply>}
 */
function stopped(limit) {
  return { kind: 'stopped', limit };
}

/**
 * Waits for a promise by running what is queued; there is nothing else that could settle it.
 *
 * @param {Pick<Room, 'context' | 'runtime'>} room
 * @param {Outcome} outcome
 * @returns {Outcome}
 */
function settle({ context, runtime }, outcome) {
  if (outcome.error) return outcome;
  const queued = runtime.executePendingJobs();
  if (queued.error) return { error: queued.error };
  const state = context.getPromiseState(outcome.value);
  if (state.type === 'fulfilled') return { value: state.value };
  if (state.type === 'rejected') return { error: state.error };
  const message = 'The promise of the function never settles.';
  return { error: context.newError({ name: 'Error', message }) };
}

/** Runs before the code and keeps what it needs out of the code's reach. */
const PRELUDE = `((write) => {
  let now = 0;
  let state = 0;
  const { parse, stringify } = JSON;
  const text = String;
  const [cut, swap] = [text.prototype.slice, text.prototype.replaceAll].map((method) =>
    Function.prototype.call.bind(method),
  );
  const RealDate = Date;
  const construct = Reflect.construct;
  function FixedDate(...values) {
    if (new.target === undefined) return new RealDate(now).toString();
    return construct(RealDate, values.length === 0 ? [now] : values, new.target);
  }
  FixedDate.prototype = RealDate.prototype;
  FixedDate.prototype.constructor = FixedDate;
  FixedDate.now = () => now;
  FixedDate.parse = RealDate.parse;
  FixedDate.UTC = RealDate.UTC;
  Object.defineProperty(FixedDate, 'name', { value: 'Date' });
  globalThis.Date = FixedDate;
  Math.random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const show = (value) => {
    if (typeof value === 'string') return value;
    if (typeof value !== 'object' || value === null || value instanceof Error) return text(value);
    try { return stringify(value) ?? text(value); } catch { return text(value); }
  };
  const log = (which) => (...values) => { write(which, values.map(show).join(' ') + '\\n'); };
  globalThis.console = { log: log(1), info: log(1), debug: log(1), warn: log(2), error: log(2) };
  return {
    configure: (time, seed) => { now = time; state = seed >>> 0; },
    start: (module, entry, input) => {
      const found = module[entry];
      if (typeof found !== 'function') throw new TypeError('The module exports no function ' + entry + '.');
      return found(parse(input));
    },
    finish: (value) => stringify(value),
    describe: (error) => {
      try {
        const isObject = typeof error === 'object' && error !== null;
        const name = isObject ? cut(text(error.name), 0, 128) : 'Error';
        const message = isObject ? text(error.message) : text(error);
        return swap(name, '\\n', ' ') + '\\n' + cut(message, 0, 2048);
      } catch { return 'Error\\nThe code threw something that cannot be shown.'; }
    },
  };
})`;
/** A hard wall behind the limit that the engine keeps by itself. */
const MOST_PAGES = 65_536 / 2;
