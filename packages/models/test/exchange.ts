import type { Clock, ModelCompletion, ModelMessage, ModelTool } from '@millforge/contracts';
import { manualClock } from '@millforge/contracts/testing';
import { createModelClient, type ModelClientOptions, type ModelProfile } from '@millforge/models';
import {
  type ScriptedServer,
  type ScriptedServerOptions,
  startScriptedServer,
} from '@millforge/models/testing';

/** A clock whose short delays are over at once and noted; longer ones wait for `advance`. */
export interface SteppingClock extends Clock {
  readonly delays: readonly number[];
  /** Delays that have not ended. */
  pending(): number;
  advance(ms: number): void;
}

/** Makes a stepping clock; a delay below `longMs` is short. */
export function steppingClock(longMs = 100_000): SteppingClock {
  const clock = manualClock();
  const delays: number[] = [];
  return {
    delays,
    now: () => clock.now(),
    monotonicMs: () => clock.monotonicMs(),
    pending: () => clock.pendingDelays,
    advance: (ms) => clock.advance(ms),
    delay(ms, signal) {
      const ended = clock.delay(ms, signal);
      if (ms < longMs) {
        delays.push(ms);
        clock.advance(ms);
      }
      return ended;
    },
  };
}

export interface Subject {
  readonly server: ScriptedServer;
  readonly clock: SteppingClock;
  readonly signal: AbortController;
  /** One exchange with the server. */
  readonly ask: (messages?: readonly ModelMessage[]) => Promise<ModelCompletion>;
}

/** Starts a server, makes a client of it, runs a test on both, and closes the server. */
export async function withServer(
  setup: {
    readonly server: ScriptedServerOptions;
    readonly profile?: Partial<ModelProfile>;
    readonly client?: Partial<ModelClientOptions>;
    readonly tools?: readonly ModelTool[];
    readonly idempotencyKey?: string;
  },
  run: (subject: Subject) => Promise<void>,
): Promise<void> {
  const server = await startScriptedServer(setup.server);
  const clock = steppingClock();
  const signal = new AbortController();
  const client = createModelClient({
    profile: { ...profileOf(server.url), ...setup.profile },
    fetch,
    clock,
    ...setup.client,
  });
  try {
    await run({
      server,
      clock,
      signal,
      ask: (messages = [HELLO]) =>
        client.complete(
          { messages, tools: setup.tools ?? [] },
          {
            signal: signal.signal,
            ...(setup.idempotencyKey === undefined ? {} : { idempotencyKey: setup.idempotencyKey }),
          },
        ),
    });
  } finally {
    await server.close();
  }
}

/** The smallest profile of a server. */
export function profileOf(url: string): ModelProfile {
  return { profile_id: 'test.model', base_url: url, model: 'small:1b' };
}

export const HELLO: ModelMessage = { role: 'user', content: 'Hello, the secret plan is plover.' };
