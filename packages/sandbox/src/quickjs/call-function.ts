import { type JsonValue, unreachable } from '@millforge/contracts';
import type { Containment } from '../containment.ts';
import type { RunSurroundings } from '../run-surroundings.ts';
import type { SandboxLimit, SandboxLimits } from '../sandbox-limits.ts';
import type { SandboxCall } from '../sandbox-request.ts';
import type { CallResult } from '../sandbox-result.ts';
import type { PoolReply, QuickJsPool } from './quickjs-pool.ts';

/** Calls a function in a child of the pool. */
export async function callFunction(
  { pool, table }: { readonly pool: QuickJsPool; readonly table: Containment },
  { call, limits }: { readonly call: SandboxCall; readonly limits: SandboxLimits },
  { clock, signal }: RunSurroundings,
): Promise<CallResult> {
  const begin = clock.monotonicMs();
  const reply = await pool.perform({
    message: {
      source: call.source,
      entry: call.entry ?? 'default',
      input: JSON.stringify(call.input ?? null),
      memoryBytes: limits.memoryBytes,
      timeoutMs: limits.timeoutMs,
      outputBytes: limits.outputBytes,
      nowMs: call.nowMs ?? 0,
      seed: call.seed ?? 1,
    },
    memoryBytes: limits.memoryBytes,
    // Built-in functions of the engine cannot be interrupted.
    killMs: limits.timeoutMs + PATIENCE_MS,
    signal,
  });
  if (reply instanceof Error) {
    return { kind: 'unavailable', message: `The engine does not start: ${reply.message}.` };
  }
  return toResult(reply, { containment: table, durationMs: clock.monotonicMs() - begin });
}

function toResult(
  reply: PoolReply,
  facts: { readonly containment: Containment; readonly durationMs: number },
): CallResult {
  const said = isReply(reply.message) ? reply.message : null;
  const run = { ...facts, stdout: said?.stdout ?? '', stderr: said?.stderr ?? '' };
  if (reply.killed === 'aborted') return { kind: 'aborted', ...run };
  if (reply.killed === 'time') return { kind: 'stopped', limit: 'time', ...run };
  if (reply.isOutOfMemory) return { kind: 'stopped', limit: 'memory', ...run };
  if (said === null) return { kind: 'crashed', message: 'The engine ended.', ...run };
  switch (said.kind) {
    case 'returned': {
      const value = parse(said.value ?? '');
      if (value === undefined)
        return { kind: 'crashed', message: 'The engine gave no JSON.', ...run };
      return { kind: 'returned', value, ...run };
    }
    case 'threw':
      return {
        kind: 'threw',
        error: { name: said.name ?? 'Error', message: said.message ?? '' },
        ...run,
      };
    case 'stopped':
      return { kind: 'stopped', limit: said.limit ?? 'time', ...run };
    case 'crashed':
      return { kind: 'crashed', message: said.message ?? 'The engine failed.', ...run };
    default:
      return unreachable(said.kind, 'reply');
  }
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    // As for a reply that is none.
    return undefined;
  }
}

interface ChildReply {
  readonly kind: 'returned' | 'threw' | 'stopped' | 'crashed';
  readonly value?: string;
  readonly name?: string;
  readonly message?: string;
  readonly limit?: SandboxLimit;
  readonly stdout: string;
  readonly stderr: string;
}

/** The child is of this package; what could be wrong with its line is only that there is none. */
function isReply(message: unknown): message is ChildReply {
  return typeof message === 'object' && message !== null && 'kind' in message;
}

const PATIENCE_MS = 100;
