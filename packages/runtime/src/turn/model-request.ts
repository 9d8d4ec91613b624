import type { ModelMessage, ModelRequest, ModelTool } from '@millforge/contracts';
import { toPromptMessages } from '@millforge/guard/messages';
import type { Run } from '../run-state.ts';
import { shownMessage } from './result-images.ts';

/**
 * The request of a turn, as the model is declared to take it.
 *
 * A model without tools of its own reads them in the system message and writes its calls as text. One
 * that was asked in vain is made to call a tool in the end, where it takes that.
 */
export function modelRequest(run: Run): ModelRequest {
  const { capabilities } = run.options.model;
  const messages = shownMessages(run);
  if (run.policy.textCalls === true) {
    return { messages: oneUserAtATime(toPromptMessages(messages, run.tools)), tools: [] };
  }
  // A list of its own, which a client may work on and keep.
  const request =
    messages.length > LONG
      ? new LongRequest(messages, run.tools)
      : { messages: messages.slice(), tools: run.tools };
  const takesChoice = capabilities?.tool_choice === 'supported';
  return run.toolChoice === 'auto' || !takesChoice
    ? request
    : Object.assign(request, { options: { tool_choice: run.toolChoice } });
}

/**
 * A request whose list is copied when it is first read: a long run would copy the square of its messages else,
 * for clients too that read none. The conversation only grows until it is shortened, and then into another list.
 */
class LongRequest implements ModelRequest {
  declare readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  readonly #shared: readonly ModelMessage[];
  readonly #length: number;
  #own: readonly ModelMessage[] | null = null;

  constructor(messages: readonly ModelMessage[], tools: readonly ModelTool[]) {
    this.tools = tools;
    this.#shared = messages;
    this.#length = messages.length;
    // A property of its own, so that a copy of the request has it; one getter for all, for the engine.
    Object.defineProperty(this, 'messages', LongRequest.#messages);
  }

  static readonly #messages: PropertyDescriptor & ThisType<LongRequest> = {
    enumerable: true,
    configurable: true,
    get() {
      this.#own ??= this.#shared.slice(0, this.#length);
      return this.#own;
    },
  };
}

/** What can be shown to the model: images only to one that is declared to see, through tools of its own. */
function shownMessages({ conversation, options, policy }: Run): readonly ModelMessage[] {
  const { messages, hasImages } = conversation;
  const sees = options.model.capabilities?.images === 'supported' && policy.textCalls !== true;
  return hasImages ? messages.map((message) => shownMessage(message, sees)) : messages;
}

/** Results have become words of the user, and templates refuse two of those in a row. */
function oneUserAtATime(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const joined: ModelMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (message.role === 'user' && last?.role === 'user') {
      joined[joined.length - 1] = joinedUser(last, message);
    } else {
      joined.push(message);
    }
  }
  return joined;
}

/** The same object for the same two, so that a client encodes it once, however long the run. */
function joinedUser(first: ModelMessage, second: ModelMessage): ModelMessage {
  const known = JOINED.get(first);
  if (known?.second === second) return known.joined;
  const content = `${first.content}\n\n${second.content}`;
  const joined: ModelMessage = Object.freeze({ role: 'user', content });
  JOINED.set(first, { second, joined });
  return joined;
}

/** Messages that are copied in less time than a property is defined. */
const LONG = 200;
const JOINED = new WeakMap<
  ModelMessage,
  { readonly second: ModelMessage; readonly joined: ModelMessage }
>();
