import { type Clock, type ModelDelta, unreachable } from '@millforge/contracts';
import type { JsonFields, StreamAssembler } from './dialect.ts';
import { startIdleWatch } from './idle-watch.ts';
import { createServerEventParser, type ServerEvent } from './server-events.ts';
import { raceAbort, type TimeLimit } from './time-limit.ts';

/** What a streamed reply came to. */
export type StreamResult =
  | { readonly kind: 'body'; readonly body: JsonFields }
  | { readonly kind: 'error'; readonly body: JsonFields }
  | { readonly kind: 'malformed'; readonly message: string }
  | { readonly kind: 'cut' | 'idle' | 'too-large' | 'not-utf8' };

/** Reads a stream of server-sent events to the end of its reply, and no further. */
export async function readEventStream(
  response: Response,
  options: {
    readonly assembler: StreamAssembler;
    readonly limit: TimeLimit;
    readonly clock: Clock;
    readonly idleMs: number;
    readonly maxBytes: number;
    readonly onDelta: (delta: ModelDelta) => void;
  },
): Promise<StreamResult> {
  const { assembler, limit, maxBytes } = options;
  const reader = response.body?.getReader();
  if (reader === undefined) return { kind: 'cut' };
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const parser = createServerEventParser();
  const idle = startIdleWatch(options.clock, options.idleMs);
  let bytes = 0;
  try {
    for (;;) {
      const chunk = await limit.race(raceAbort(reader.read(), idle.signal));
      idle.touch();
      bytes += chunk.value?.byteLength ?? 0;
      if (bytes > maxBytes) return { kind: 'too-large' };
      const text = decoded(decoder, chunk);
      if (text === null) return { kind: 'not-utf8' };
      const events = chunk.done ? [...parser.push(text), ...parser.end()] : parser.push(text);
      const ended = takeEvents(events, assembler, options.onDelta);
      if (ended !== null) return ended;
      if (chunk.done) return finished(assembler);
    }
  } catch (error) {
    if (idle.signal.aborted && limit.stopped() === null) return { kind: 'idle' };
    throw error;
  } finally {
    idle.release();
  }
}

type Chunk = { readonly done: boolean; readonly value?: Uint8Array | undefined };

function decoded(decoder: InstanceType<typeof TextDecoder>, { done, value }: Chunk): string | null {
  try {
    return done ? decoder.decode() : decoder.decode(value, { stream: true });
  } catch {
    // A fatal decoder throws for one reason only.
    return null;
  }
}

function takeEvents(
  events: readonly ServerEvent[],
  assembler: StreamAssembler,
  onDelta: (delta: ModelDelta) => void,
): StreamResult | null {
  for (const event of events) {
    const step = assembler.push(event);
    switch (step.kind) {
      case 'none':
        break;
      case 'end':
        return finished(assembler);
      case 'error':
      case 'malformed':
        return step;
      case 'text':
      case 'reasoning':
        onDelta(step);
        break;
      default:
        unreachable(step, 'step of a stream');
    }
  }
  return null;
}

function finished(assembler: StreamAssembler): StreamResult {
  const body = assembler.finish();
  return body === null ? { kind: 'cut' } : { kind: 'body', body };
}
