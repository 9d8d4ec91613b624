import type { ModelMessage } from '@millforge/contracts';
import { estimateMessage } from './estimate-tokens.ts';

/** What the model said in one turn. */
export type AssistantMessage = Extract<ModelMessage, { readonly role: 'assistant' }>;

/** The answer to one call, and how long it was before anything was cut. */
export interface ContextResult {
  /** As it goes to the model. */
  readonly message: Extract<ModelMessage, { readonly role: 'tool' }>;
  /** Characters that the tool gave. */
  readonly chars: number;
  /** Values in it that later calls used, as far as they were cut away. */
  readonly facts: readonly string[];
}

/** One reply and everything that answers it: the unit that is shortened, so that no call loses its result. */
export interface ContextTurn {
  /** What the model said. */
  readonly reply: AssistantMessage;
  /** One result for each call, in order. */
  readonly results: readonly ContextResult[];
  /** What asked the model again; leaves with the turn. */
  readonly nudge: string | null;
  /** What a person said after the turn; never leaves. */
  readonly said: readonly string[];
  /** Nothing cut, results cut, results replaced. */
  readonly level: 0 | 1 | 2;
  /** All of it, as it goes to the model. */
  readonly messages: readonly ModelMessage[];
  /** Estimate of these messages. */
  readonly tokens: number;
}

/** Puts the messages of a turn together; objects that did not change stay the same. */
export function contextTurn(
  parts: Omit<ContextTurn, 'messages' | 'tokens'>,
  before?: ContextTurn,
): ContextTurn {
  const spoken = [...(parts.nudge === null ? [] : [parts.nudge]), ...parts.said].join('\n\n');
  const last = before?.messages.at(-1);
  const user: readonly ModelMessage[] =
    spoken === ''
      ? []
      : [
          last?.role === 'user' && last.content === spoken
            ? last
            : Object.freeze({ role: 'user', content: spoken }),
        ];
  const messages = [parts.reply, ...parts.results.map(({ message }) => message), ...user];
  let tokens = 0;
  for (const message of messages) tokens += estimateMessage(message);
  return { ...parts, messages, tokens };
}
