import { type ReadJsonResult, readJson } from '@millforge/contracts';

/**
 * Reads the data of one event of a stream.
 *
 * A character may be split between two events: its halves pass, and find each other when they are joined.
 */
export function readEvent(data: string): ReadJsonResult {
  return readJson(data, { allowControlCharacters: true, allowLoneSurrogates: true });
}
