import type { Clock, JsonObject } from '@millforge/contracts';
import { bubblewrapCall } from '../bubblewrap/bubblewrap-arguments.ts';
import type { BubblewrapHost } from '../bubblewrap/bubblewrap-host.ts';
import { type ControlGroup, createControlGroup } from '../bubblewrap/control-group.ts';
import { DEFAULT_LIMITS } from '../sandbox-limits.ts';
import { type EngineFiles, locateEngine, NODE } from './locate-engine.ts';
import { type QuickJsProcess, startQuickJsProcess } from './quickjs-process.ts';

/** Keeps child processes warm, and hands each to one call at a time. */
export interface QuickJsPool {
  /** Runs a call in a child; an error says why none could be started. */
  perform(call: PoolCall): Promise<PoolReply | Error>;
  /** Kills all children; calls that run end as `killed`. */
  close(): Promise<void>;
}

/** One call for a child. */
export interface PoolCall {
  readonly message: JsonObject;
  readonly memoryBytes: number;
  /** After this time the child is killed, whatever it does. */
  readonly killMs: number;
  readonly signal: AbortSignal | undefined;
}

/** What came of it. */
export interface PoolReply {
  /** The reply of the child, unread; null if it was killed or died. */
  readonly message: unknown;
  /** Why it was killed; null if it was not. */
  readonly killed: 'time' | 'aborted' | null;
  /** Whether the child's control group ran out of memory. */
  readonly isOutOfMemory: boolean;
}

/** What a pool is made with. */
export interface QuickJsPoolOptions {
  readonly clock: Clock;
  readonly newName: () => string;
  /** The walls around each child; null for none but those of WebAssembly. */
  readonly walls: BubblewrapHost | null;
  /** Children at most. */
  readonly size: number;
}

interface Carrier {
  readonly process: QuickJsProcess;
  readonly group: ControlGroup | null;
  /** Bytes of memory for code that it was made for. */
  readonly capacity: number;
}

/** Makes a pool; the first child starts with the first call. */
export function createQuickJsPool(options: QuickJsPoolOptions): QuickJsPool {
  const idle: Carrier[] = [];
  const all = new Set<Carrier>();
  const waiting: (() => void)[] = [];
  let places = options.size;
  let files: EngineFiles | null = null;
  let isClosed = false;

  const take = async (memoryBytes: number): Promise<Carrier | Error> => {
    if (isClosed) return new Error('the sandbox was disposed of');
    const fitting = idle.findIndex(({ capacity }) => capacity >= memoryBytes);
    const found = fitting === -1 ? undefined : idle.splice(fitting, 1)[0];
    if (found !== undefined) return found;
    // An idle one that is too small makes place.
    const small = idle.pop();
    if (small !== undefined) await end(small);
    files ??= locateEngine();
    const carrier = await startCarrier(
      files,
      Math.max(memoryBytes, DEFAULT_LIMITS.memoryBytes),
      options,
    );
    if (carrier instanceof Error) return carrier;
    all.add(carrier);
    if (!isClosed) return carrier;
    await end(carrier);
    return new Error('the sandbox was disposed of');
  };
  const end = async (carrier: Carrier): Promise<void> => {
    carrier.process.kill();
    await carrier.process.ended;
    await carrier.group?.remove();
    all.delete(carrier);
  };
  const perform = async (call: PoolCall): Promise<PoolReply | Error> => {
    const carrier = await take(call.memoryBytes);
    if (carrier instanceof Error) return carrier;
    const reply = await performIn(carrier, call, options.clock);
    const met = reply.message === null ? ((await carrier.group?.limitsMet()) ?? []) : [];
    if (all.has(carrier) && isReusable(reply)) idle.push(carrier);
    else await end(carrier);
    return { ...reply, isOutOfMemory: met.includes('memory') };
  };
  const inTurn = async (call: PoolCall): Promise<PoolReply | Error> => {
    if (places === 0) await new Promise<void>((go) => waiting.push(go));
    else places -= 1;
    try {
      return await perform(call);
    } finally {
      const next = waiting.shift();
      if (next === undefined) places += 1;
      else next();
    }
  };
  const running = new Set<Promise<unknown>>();
  return {
    async perform(call) {
      const reply = inTurn(call);
      running.add(reply);
      try {
        return await reply;
      } finally {
        running.delete(reply);
      }
    },
    async close() {
      isClosed = true;
      idle.length = 0;
      await Promise.all([...all].map(end));
      // Also a child that was just being started ends.
      await Promise.allSettled(running);
    },
  };
}

async function performIn(
  carrier: Carrier,
  call: PoolCall,
  clock: Clock,
): Promise<Omit<PoolReply, 'isOutOfMemory'>> {
  let killed: PoolReply['killed'] = null;
  const kill = (why: 'time' | 'aborted'): void => {
    killed ??= why;
    carrier.process.kill();
  };
  const timers = new AbortController();
  const onAbort = (): void => kill('aborted');
  call.signal?.addEventListener('abort', onAbort, { once: true });
  if (call.signal?.aborted === true) kill('aborted');
  const late = clock.delay(call.killMs, timers.signal).then(
    () => kill('time'),
    () => undefined,
  );
  try {
    return { message: await carrier.process.perform(call.message), killed };
  } finally {
    timers.abort();
    call.signal?.removeEventListener('abort', onAbort);
    await late;
  }
}

/** Memory of an engine is given back when the collector comes by; a large one does not wait for that. */
function isReusable({ message, killed }: Omit<PoolReply, 'isOutOfMemory'>): boolean {
  if (killed !== null || typeof message !== 'object' || message === null) return false;
  return 'usedBytes' in message && Number(message.usedBytes) <= REUSABLE_BYTES;
}

async function startCarrier(
  files: EngineFiles,
  capacity: number,
  options: QuickJsPoolOptions,
): Promise<Carrier | Error> {
  const { walls } = options;
  if (walls === null) {
    const parent = `--parent=${process.pid}`;
    const argv = [process.execPath, ...NODE_OPTIONS, files.program, parent] as const;
    const started = await startQuickJsProcess({ argv, handed: [] });
    return started instanceof Error ? started : { process: started, group: null, capacity };
  }
  const limits = { ...DEFAULT_LIMITS, memoryBytes: capacity + CARRIER_BYTES };
  const name = options.newName();
  const group =
    walls.groups &&
    (await createControlGroup(walls.groups, { name, limits, clock: options.clock }));
  if (walls.groups !== null && group === null) return new Error('its control group cannot be made');
  const call = bubblewrapCall({
    program: walls.program,
    system: walls.system,
    limits,
    paths: { bound: [], covered: [] },
    placed: files.placed,
    folder: '/tmp',
    environment: {},
    command: [NODE, ...NODE_OPTIONS, files.placedProgram],
    mergesOutput: false,
    isFiltered: walls.filter !== null,
    boundsEachProcess: group === null,
    memberFiles: group?.memberFiles ?? [],
  });
  const handed = [call.options, ...(walls.filter === null ? [] : [walls.filter])];
  const started = await startQuickJsProcess({ argv: call.argv, handed });
  if (!(started instanceof Error)) return { process: started, group, capacity };
  await group?.remove();
  return started;
}

/** What Node and the engine take beside the memory of the code. */
const CARRIER_BYTES = 192 * 2 ** 20;
const REUSABLE_BYTES = 48 * 2 ** 20;
const NODE_OPTIONS = ['--max-old-space-size=64', '--disable-proto=delete'];
