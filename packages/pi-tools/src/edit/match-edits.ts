import { lineFeedView, looseText, looseView, rawView, type TextView } from './text-view.ts';

/** One replacement as the model asked for it. */
export interface Edit {
  readonly oldText: string;
  readonly newText: string;
}

/** A replacement with the one place where it applies, in offsets of the original. */
export interface Match {
  /** Which edit, from 0. */
  readonly index: number;
  readonly start: number;
  readonly end: number;
  readonly newText: string;
}

/** Every edit with its place, or the first that has none. */
export type Matched =
  | { readonly ok: true; readonly matches: readonly Match[] }
  | { readonly ok: false; readonly miss: Miss };

/** Why an edit has no place of its own. */
export type Miss =
  | { readonly kind: 'empty' | 'not-found'; readonly index: number }
  | {
      readonly kind: 'ambiguous';
      readonly index: number;
      /** How many places there are. */
      readonly count: number;
      /** Starts of the first ones, in offsets of the original. */
      readonly places: readonly number[];
    }
  | { readonly kind: 'overlap'; readonly index: number; readonly other: number };

/**
 * Finds the place of every edit in the original text.
 *
 * The exact text decides first, then the text with equal line endings, then the loose spelling. The
 * first spelling in which an edit occurs at all also decides whether it is unique.
 */
export function matchEdits(
  text: string,
  edits: readonly Edit[],
  { isText }: { readonly isText: boolean } = { isText: true },
): Matched {
  const empty = edits.findIndex((edit) => edit.oldText === '');
  if (empty >= 0) return { ok: false, miss: { kind: 'empty', index: empty } };
  const spellings = createSpellings(text, isText);
  const matches: Match[] = [];
  for (const [index, edit] of edits.entries()) {
    const { count, first } = findPlaces(edit.oldText, spellings);
    const [place] = first;
    if (place === undefined) return { ok: false, miss: { kind: 'not-found', index } };
    if (count > 1) {
      const places = first.map((one) => one.start);
      return { ok: false, miss: { kind: 'ambiguous', index, count, places } };
    }
    matches.push({ index, ...place, newText: edit.newText });
  }
  matches.sort((left, right) => left.start - right.start || left.end - right.end);
  for (const [position, match] of matches.entries()) {
    const next = matches[position + 1];
    if (next !== undefined && match.end > next.start) {
      return { ok: false, miss: { kind: 'overlap', index: match.index, other: next.index } };
    }
  }
  return { ok: true, matches };
}

/** Where a text stands. A single letter may stand in millions of places, so only the first are kept. */
interface Places {
  readonly count: number;
  readonly first: readonly Place[];
}

interface Spelling {
  readonly view: () => TextView;
  readonly spell: (text: string) => string;
}

interface Place {
  readonly start: number;
  readonly end: number;
}

function createSpellings(text: string, isText: boolean): readonly Spelling[] {
  // The way back from a loose spelling takes two numbers per character; bytes have none at all.
  const isLoose = isText && text.length <= MAX_LOOSE;
  return [
    { view: once(() => rawView(text)), spell: (old) => old },
    { view: once(() => lineFeedView(text)), spell: (old) => lineFeedView(old).text },
    ...(isLoose ? [{ view: once(() => looseView(text)), spell: looseText }] : []),
  ];
}

function findPlaces(oldText: string, spellings: readonly Spelling[]): Places {
  // No file holds half of a character, and to replace one half would change the other.
  if (/\p{Surrogate}/u.test(oldText)) return NOWHERE;
  for (const { view, spell } of spellings) {
    const wanted = spell(oldText);
    // A text of nothing but white space has no loose spelling that could be looked for.
    if (wanted.trim() === '' && wanted !== oldText) continue;
    const places = placesOf(wanted, view());
    if (places.count > 0) return places;
  }
  return NOWHERE;
}

function placesOf(wanted: string, view: TextView): Places {
  const first: Place[] = [];
  let count = 0;
  for (let at = view.text.indexOf(wanted); at >= 0; ) {
    const start = view.start(at);
    const end = view.end(at + wanted.length);
    const isWhole = start !== null && end !== null;
    if (isWhole) count++;
    if (isWhole && first.length < MAX_PLACES) first.push({ start, end });
    at = view.text.indexOf(wanted, at + (isWhole ? wanted.length : 1));
  }
  return { count, first };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

const NOWHERE: Places = { count: 0, first: [] };
const MAX_PLACES = 10;
const MAX_LOOSE = 2 * 1024 * 1024;
