import type { ExactJson } from '@millforge/contracts';
import type { JsonFields } from '../client/dialect.ts';
import { isJsonObject, jsonText } from '../client/json-text.ts';
import { createObjectEnd, type ObjectEnd } from './object-end.ts';

/** Puts the calls of a streamed reply together. */
export interface StreamedCalls {
  /** Takes a piece of a call. */
  take(delta: JsonFields): void;
  /** The calls as a whole reply would have them. */
  finish(): readonly JsonFields[];
}

/**
 * Makes the collector of one reply.
 *
 * Calls are told apart by `index`; a server that leaves it out begins a call with an id or a name, and one
 * that gives every call the same begins it with an id, a name and a second object of arguments.
 */
export function createStreamedCalls(): StreamedCalls {
  const calls: StreamedCall[] = [];
  const byIndex = new Map<number, StreamedCall>();

  const find = (piece: Piece): StreamedCall | undefined => {
    const found = piece.index === null ? continued(calls.at(-1), piece) : byIndex.get(piece.index);
    return found !== undefined && isAnother(found, piece) ? undefined : found;
  };
  const begin = ({ index }: Piece): StreamedCall => {
    const call: StreamedCall = { index, id: null, name: '', arguments: '', end: createObjectEnd() };
    calls.push(call);
    if (index !== null) byIndex.set(index, call);
    return call;
  };

  return {
    take(delta) {
      const piece = pieceOf(delta);
      const call = find(piece) ?? begin(piece);
      call.id ??= piece.id;
      // Some servers repeat the whole name with every piece.
      if (piece.name !== call.name) call.name += piece.name;
      call.arguments += piece.arguments;
      call.end.push(piece.arguments);
    },
    finish() {
      // Pieces of several calls may come interleaved; their indexes say the order.
      const isOrdered = calls.every(({ index }) => index !== null);
      const ordered = isOrdered ? calls.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0)) : calls;
      return ordered.map(wholeCall);
    },
  };
}

/** One call, as far as it has come. */
interface StreamedCall {
  readonly index: number | null;
  readonly end: ObjectEnd;
  id: ExactJson;
  name: string;
  arguments: string;
}

interface Piece {
  readonly index: number | null;
  readonly id: ExactJson;
  readonly name: string;
  readonly arguments: string;
}

function pieceOf(delta: JsonFields): Piece {
  const called = isJsonObject(delta['function']) ? delta['function'] : delta;
  const { index, id = null } = delta;
  const { name, arguments: written } = called;
  return {
    index: typeof index === 'number' ? index : null,
    id,
    name: typeof name === 'string' ? name : '',
    arguments: argumentsText(written),
  };
}

function argumentsText(written: ExactJson | undefined): string {
  if (typeof written === 'string') return written;
  return written === undefined || written === null ? '' : jsonText(written);
}

/** The call that a piece without an index goes on with. */
function continued(last: StreamedCall | undefined, { id, name }: Piece): StreamedCall | undefined {
  const isNew = isText(id) && id !== last?.id;
  const isNamed = id === null && name !== '' && last !== undefined && last.arguments !== '';
  return isNew || isNamed ? undefined : last;
}

/** Whether a piece begins another call under the index of one whose arguments are whole. */
function isAnother(call: StreamedCall, { id, name, arguments: text }: Piece): boolean {
  const isNewId = isText(id) && isText(call.id) && id !== call.id;
  return isNewId && name !== '' && call.end.isReached() && /^\s*\{/.test(text);
}

function isText(value: ExactJson): boolean {
  return typeof value === 'string' && value !== '';
}

function wholeCall({ id, name, arguments: text }: StreamedCall): JsonFields {
  return {
    id,
    type: 'function',
    function: { name, arguments: text },
  };
}
