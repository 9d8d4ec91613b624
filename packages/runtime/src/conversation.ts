import { MillforgeError, type ModelMessage } from '@millforge/contracts';

/** The messages of a run, only ever appended to. */
export interface Conversation {
  /** All messages; the same array every time, growing. */
  readonly messages: readonly ModelMessage[];
  /** Appends a message; a call and its results stand together, each call answered once. */
  add(message: ModelMessage): void;
  /** The messages added since the last time; every call before them has its result. */
  takeNew(): readonly ModelMessage[];
}

/**
 * Makes an empty conversation.
 *
 * Pairing is kept as messages are added, so that asking for the next request costs no look back.
 */
export function createConversation(): Conversation {
  const messages: ModelMessage[] = [];
  const open = new Set<string>();
  let taken = 0;
  return {
    messages,
    add(message) {
      if (message.role === 'tool') {
        if (!open.delete(message.tool_call_id)) {
          throw broken('a result without a call', message.tool_call_id);
        }
      } else {
        assertAnswered(open);
        if (message.role === 'assistant') {
          for (const { id } of message.tool_calls ?? []) {
            if (open.has(id)) throw broken('two calls with one id', id);
            open.add(id);
          }
        }
      }
      messages.push(Object.freeze(message));
    },
    takeNew() {
      assertAnswered(open);
      const added = messages.slice(taken);
      taken = messages.length;
      return added;
    },
  };
}

function assertAnswered(open: ReadonlySet<string>): void {
  for (const id of open) throw broken('a call without a result', id);
}

function broken(what: string, callId: string): MillforgeError {
  return new MillforgeError(
    'internal/broken-conversation',
    `The conversation would hold ${what}.`,
    {
      details: { call_id: callId },
    },
  );
}
