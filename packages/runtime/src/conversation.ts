import { MillforgeError, type ModelMessage } from '@millforge/contracts';
import { type ContextState, contextMessages, contextTokens } from './context/context-state.ts';
import {
  type AssistantMessage,
  type ContextResult,
  type ContextTurn,
  contextTurn,
} from './context/context-turn.ts';
import { estimateMessage } from './context/estimate-tokens.ts';
import { type ContextLimits, type ContextRung, fitContext } from './context/fit-context.ts';

/** What shortening did to a conversation. */
export interface Compaction {
  /** How far it went: results cut, results replaced, turns summarised, squeezed. */
  readonly rung: Exclude<ContextRung, 0>;
  /** Estimated tokens of the messages before. */
  readonly tokensBefore: number;
  /** Estimated tokens of the messages afterwards. */
  readonly tokensAfter: number;
  /** Replies that only a summary stands for, since the start. */
  readonly summarisedTurns: number;
}

/** The messages of a run: appended to, and shortened in whole turns. */
export interface Conversation {
  /** What the model is sent; the same array until it is shortened, growing. */
  readonly messages: readonly ModelMessage[];
  /** Whether a result of the run has come with images, be they gone meanwhile. */
  readonly hasImages: boolean;
  /** Estimated tokens of these messages. */
  readonly tokens: number;
  /** Appends a message; a call and its results stand together, each call answered once. */
  add(message: ModelMessage): void;
  /** Appends what a person says; joined to a user message that was not sent yet. */
  say(text: string): void;
  /** The messages added since the last time; every call before them has its result. */
  takeNew(): readonly ModelMessage[];
  /** Shortens the conversation until it fits; null when it did already. */
  compact(
    limits: ContextLimits,
  ): Compaction | { readonly item: string; readonly tokens: number } | null;
}

/**
 * Makes an empty conversation.
 *
 * Pairing is kept as messages are added, so that asking for the next request costs no look back;
 * shortening takes whole turns and keeps it by construction.
 */
export function createConversation(): Conversation {
  let head: readonly ModelMessage[] = [];
  let summary: ContextState['summary'] = null;
  // Put together only when something is shortened: most runs never are.
  let turns: (ContextTurn | GrowingTurn)[] = [];
  let last: GrowingTurn | null = null;
  let messages: ModelMessage[] = [];
  let added: ModelMessage[] = [];
  let hasImages = false;
  let tokens = 0;
  const open = new Set<string>();

  const push = (message: ModelMessage): void => {
    messages.push(Object.freeze(message));
    added.push(message);
    tokens += estimateMessage(message);
  };
  const addUser = (text: string): void => {
    const previous = messages.at(-1);
    if (previous?.role !== 'user') {
      push({ role: 'user', content: text });
      return;
    }
    // Templates refuse two users in a row, and this one was not sent: a reply would stand behind it.
    const whole = joined(previous.content, text);
    messages[messages.length - 1] = whole;
    tokens += estimateMessage(whole) - estimateMessage(previous);
    const unsent = added.at(-1);
    if (unsent?.role === 'user') added[added.length - 1] = joined(unsent.content, text);
    else added.push(joined('', text));
  };
  const beginTurn = (reply: AssistantMessage): void => {
    const { tool_calls: calls = [] } = reply;
    for (let at = 0; at < calls.length; at++) {
      const id = calls[at]?.id ?? '';
      if (open.has(id)) throw broken('two calls with one id', id);
      open.add(id);
    }
    if (last !== null) turns.push(last);
    last = { reply, results: [], nudge: null, said: [], level: 0 };
  };

  return {
    get messages() {
      return messages;
    },
    get hasImages() {
      return hasImages;
    },
    get tokens() {
      return tokens;
    },
    add(message) {
      if (message.role === 'tool') {
        if (last === null || !open.delete(message.tool_call_id)) {
          throw broken('a result without a call', message.tool_call_id);
        }
        push(message);
        hasImages ||= message.images !== undefined;
        last.results.push({ message, chars: message.content.length, facts: [] });
        return;
      }
      assertAnswered(open);
      if (message.role === 'assistant') beginTurn(message);
      else if (last !== null) last.nudge = message.content;
      if (message.role === 'user') addUser(message.content);
      else push(message);
      if (last === null) head = [...messages];
    },
    say(text) {
      assertAnswered(open);
      addUser(text);
      if (last === null) head = [...messages];
      else last.said.push(text);
    },
    takeNew() {
      assertAnswered(open);
      const taken = added;
      added = [];
      return taken;
    },
    compact(limits) {
      assertAnswered(open);
      if (tokens + limits.tools < limits.thresholds[0]) return null;
      const whole = (last === null ? turns : [...turns, last]).map(wholeTurn);
      const fit = fitContext({ head, summary, turns: whole }, limits);
      if (fit.kind === 'overflow') return { item: fit.item, tokens: fit.tokens };
      last = reopened(fit.state.turns);
      turns = fit.state.turns.slice(0, -1);
      summary = fit.state.summary;
      if (fit.rung === 0) return null;
      const tokensBefore = tokens;
      messages = [...contextMessages(fit.state)];
      tokens = contextTokens(fit.state);
      return {
        rung: fit.rung,
        tokensBefore,
        tokensAfter: tokens,
        summarisedTurns: summary?.turns ?? 0,
      };
    },
  };
}

/** The turn that is going on. */
interface GrowingTurn extends Pick<ContextTurn, 'reply' | 'level'> {
  readonly results: ContextResult[];
  nudge: string | null;
  readonly said: string[];
}

function joined(before: string, text: string): ModelMessage {
  return Object.freeze({ role: 'user', content: before === '' ? text : `${before}\n\n${text}` });
}

function wholeTurn(turn: ContextTurn | GrowingTurn): ContextTurn {
  return 'messages' in turn ? turn : contextTurn(turn);
}

function reopened(turns: readonly ContextTurn[]): GrowingTurn | null {
  const turn = turns.at(-1);
  if (turn === undefined) return null;
  const { reply, level, nudge } = turn;
  return { reply, level, nudge, results: [...turn.results], said: [...turn.said] };
}

function assertAnswered(open: ReadonlySet<string>): void {
  if (open.size === 0) return;
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
