import { MillforgeError } from '@millforge/contracts';
import type { RuntimeErrorCode } from '../error-codes.ts';
import type { Steering } from './steering.ts';

/** Keeps what people say until the run asks for it. */
export interface SteeringQueue extends Steering {
  /**
   * Says something to the model before its next turn.
   *
   * @throws `runtime/invalid-message` for text that is blank, longer than 65,536 UTF-8 bytes or no
   * Unicode, and when a hundred messages wait already.
   */
  send(message: string): void;
  /** Asks the run to end before its next turn, as cancelled; the first reason counts. */
  requestStop(reason: string): void;
}

/** Makes an empty queue for one run. */
export function createSteeringQueue(): SteeringQueue {
  let messages: string[] = [];
  let stop: string | null = null;
  return {
    send(message) {
      assertMessage(message);
      if (messages.length >= MAX_WAITING) {
        throw invalid(
          `${MAX_WAITING} messages wait already; the run reads them before its next turn`,
        );
      }
      messages.push(message);
    },
    requestStop(reason) {
      assertMessage(reason);
      stop ??= reason;
    },
    take() {
      if (messages.length === 0 && stop === null) return null;
      const taken = { messages, stop };
      messages = [];
      return taken;
    },
  };
}

function assertMessage(message: string): void {
  if (typeof message !== 'string' || message.trim() === '') throw invalid('it is blank');
  if (/\p{Surrogate}|\0/u.test(message)) throw invalid('it holds NUL or half of a character');
  if (new TextEncoder().encode(message).length > MAX_BYTES) {
    throw invalid(`it is longer than ${MAX_BYTES} bytes`);
  }
}

function invalid(why: string): MillforgeError {
  const code: RuntimeErrorCode = 'runtime/invalid-message';
  return new MillforgeError(code, `The message is not taken: ${why}.`);
}

const MAX_WAITING = 100;
const MAX_BYTES = 65_536;
