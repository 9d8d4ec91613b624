import { MillforgeError } from '@millforge/contracts';
import type { Adapter } from '../adapter.ts';
import { ALL_PERMISSIONS, checkScope, type Scope } from '../scope.ts';
import { WAITING_PAGE, type WaitingGoal } from '../store/read-waiting.ts';
import type { RunParts } from './run-parts.ts';
import { createSlots, type Slots } from './slots.ts';

/** What a worker needs. */
export interface RunWorkerOptions {
  /** The adapters that contracts may name. */
  readonly adapters: readonly Adapter[];
  /** Attempts that run at the same time; default 4. */
  readonly concurrency?: number;
  /** Who runs the goals, as it stands in the trail; default the name of this owner. */
  readonly actor?: string;
  /** Ends the worker: attempts finish, stop or time out, and nothing new starts. */
  readonly signal: AbortSignal;
  /** Told of a goal that could not be run here, for example because an adapter is missing. */
  readonly onFault?: (goalId: string, error: unknown) => void;
}

/** A process that takes up whatever goal waits the longest, of all tenants. */
export interface Worker {
  /** Resolves when the worker was told to end and its attempts have ended; rejects with a fault of the store. */
  readonly done: Promise<void>;
}

/** Runs one goal among others; it rejects like a run of one goal. */
export type RunOneGoal = (
  scope: Scope,
  goalId: string,
  how: {
    readonly adapters: readonly Adapter[];
    readonly slots: Slots;
    readonly signal: AbortSignal;
  },
) => Promise<void>;

/** Takes up goals until it is told to end; oldest waiting first. */
export async function runWorker(
  { store, clock, owner }: RunParts,
  options: RunWorkerOptions,
  runOne: RunOneGoal,
): Promise<void> {
  const { signal } = options;
  const concurrency = options.concurrency ?? DEFAULT_CONCURRENCY;
  const slots = createSlots(concurrency);
  const actor = options.actor ?? `worker ${owner.id}`;
  checkScope({ tenant: owner.id, resource: owner.id, actor, permissions: ALL_PERMISSIONS });
  const running = new Map<string, Promise<void>>();
  const restsUntil = new Map<string, number>();
  const faults: unknown[] = [];

  const start = (waiting: WaitingGoal): void => {
    const name = nameOf(waiting);
    const scope: Scope = {
      tenant: waiting.tenant,
      resource: waiting.resource,
      actor,
      permissions: ALL_PERMISSIONS,
    };
    const work = async (): Promise<void> => {
      let restMs = REST_MS;
      try {
        await runOne(scope, waiting.goalId, { adapters: options.adapters, slots, signal });
      } catch (error) {
        if (isStoreFault(error)) faults.push(error);
        restMs = FAULT_REST_MS;
        options.onFault?.(waiting.goalId, error);
      } finally {
        running.delete(name);
        // What could not go on here is left to others for a while.
        restsUntil.set(name, clock.monotonicMs() + restMs);
      }
    };
    running.set(name, work());
  };

  while (!signal.aborted && faults.length === 0) {
    let isIdle = true;
    for (let after: WaitingGoal | null = null; running.size < concurrency; ) {
      const last: WaitingGoal | null = after;
      const page: readonly WaitingGoal[] = await store.goals.waiting(last);
      for (const waiting of page) {
        const name = nameOf(waiting);
        const rests = restsUntil.get(name) ?? 0;
        if (running.has(name) || rests > clock.monotonicMs()) continue;
        if (running.size >= concurrency) break;
        restsUntil.delete(name);
        start(waiting);
        isIdle = false;
      }
      after = page.at(-1) ?? null;
      if (page.length < WAITING_PAGE) break;
    }
    if (!isIdle) continue;
    const pause = new AbortController();
    await Promise.race([
      ...running.values(),
      clock.delay(POLL_MS, AbortSignal.any([signal, pause.signal])).catch(() => undefined),
    ]);
    pause.abort();
  }
  await Promise.all(running.values());
  if (faults.length > 0) throw faults[0];
}

/** Names a goal among all tenants. */
function nameOf({ tenant, goalId }: WaitingGoal): string {
  return JSON.stringify([tenant, goalId]);
}

/** A fault after which this process can write nothing more. */
function isStoreFault(error: unknown): boolean {
  return MillforgeError.is(error) && STORE_FAULTS.has(error.code);
}

const STORE_FAULTS: ReadonlySet<string> = new Set([
  'kernel/closed',
  'kernel/commit-unknown',
  'kernel/corrupt',
  'kernel/file-moved',
  'kernel/newer-schema',
]);

const DEFAULT_CONCURRENCY = 4;
const POLL_MS = 250;
const REST_MS = 1000;
const FAULT_REST_MS = 10_000;
