import { digest, type JsonObject } from '@millforge/contracts';

/** Remembers which calls have no known end, so that asking again means the same call. */
export interface LogicalAttempts {
  /** The key for a call; that of an earlier call with the same arguments whose end nobody knows, if there is one. */
  keyFor(call: LogicalCall): string;
  /** Takes how a call ended; a known end makes the next one with these arguments another call. */
  settle(call: LogicalCall, isKnown: boolean): void;
}

/** A call as far as its key is concerned. */
export interface LogicalCall {
  /** The run. */
  readonly runId: string;
  /** Node or tool of the plan. */
  readonly node: string;
  /** Arguments. */
  readonly arguments: JsonObject;
  /** Name of the attempt: the same when the log of the run repeats it. */
  readonly attempt: string;
}

/** Makes an empty memory of attempts; it keeps the latest thousand that are in doubt. */
export function createLogicalAttempts(): LogicalAttempts {
  const open = new Map<string, string>();
  return {
    keyFor(call) {
      const name = nameOf(call);
      const attempt = open.get(name) ?? call.attempt;
      open.delete(name);
      open.set(name, attempt);
      if (open.size > MAX_OPEN) {
        for (const oldest of open.keys()) {
          open.delete(oldest);
          break;
        }
      }
      return digest({
        kind: 'millforge.connector.idempotency_key.v1',
        run_id: call.runId,
        node: call.node,
        arguments: call.arguments,
        logical_attempt: attempt,
      });
    },
    settle(call, isKnown) {
      if (isKnown) open.delete(nameOf(call));
    },
  };
}

function nameOf({ runId, node, arguments: input }: LogicalCall): string {
  return digest({ run_id: runId, node, arguments: input });
}

const MAX_OPEN = 1024;
