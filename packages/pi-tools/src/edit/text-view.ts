/** A text in another spelling, with the way back to the places of the original. */
export interface TextView {
  readonly text: string;
  /** Start in the original of the character at an offset; null inside a character of the original. */
  start(offset: number): number | null;
  /** End in the original of what ends at an offset; null inside a character of the original. */
  end(offset: number): number | null;
}

/** The text itself. */
export function rawView(text: string): TextView {
  return { text, start: (offset) => offset, end: (offset) => offset };
}

/** Every line ending as one line feed. */
export function lineFeedView(text: string): TextView {
  if (!text.includes('\r')) return rawView(text);
  // Where in the view a line feed stands for two characters, ascending: few numbers for a long text.
  const doubles: number[] = [];
  for (let at = text.indexOf('\r\n'); at >= 0; at = text.indexOf('\r\n', at + 2)) {
    doubles.push(at - doubles.length);
  }
  const place = (offset: number) => offset + countBelow(doubles, offset);
  return { text: text.replaceAll(/\r\n?/g, '\n'), start: place, end: place };
}

function countBelow(ascending: readonly number[], limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? limit) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The spelling in which texts agree that differ only in what a model cannot see: compatibility forms,
 * white space at line ends, quotes, dashes and spaces.
 */
export function looseView(text: string): TextView {
  const builder = createBuilder();
  const known = new Map<string, string>();
  for (const { 0: cluster, index } of text.matchAll(CLUSTER)) {
    const end = index + cluster.length;
    if (PLAIN.test(cluster)) {
      builder.addAll(cluster, index);
    } else if (BREAK.test(cluster)) {
      builder.dropTrailingSpace();
      builder.add('\n', index, end);
    } else {
      const spelled = known.get(cluster) ?? loose(cluster);
      known.set(cluster, spelled);
      builder.add(spelled, index, end);
    }
  }
  builder.dropTrailingSpace();
  return builder.view(text.length);
}

/** The loose spelling of a text. */
export function looseText(text: string): string {
  return looseView(text).text;
}

function loose(cluster: string): string {
  return cluster
    .normalize('NFKC')
    .replaceAll(/[\u2018-\u201B]/g, "'")
    .replaceAll(/[\u201C-\u201F]/g, '"')
    .replaceAll(/[\u2010-\u2015\u2212]/g, '-')
    .replaceAll(/[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g, ' ');
}

interface Builder {
  /** Adds a piece that stands for one character of the original and cannot be divided. */
  add(piece: string, start: number, end: number): void;
  /** Adds a stretch that is the same in both. */
  addAll(piece: string, start: number): void;
  dropTrailingSpace(): void;
  view(originalLength: number): TextView;
}

function createBuilder(): Builder {
  // The line in progress stands apart: trimming a growing text would copy it for every line.
  const finished: string[] = [];
  let line = '';
  // Per offset of the text: where its character starts and ends in the original, -1 inside a piece.
  const starts: number[] = [];
  const ends: number[] = [0];
  return {
    add(piece, start, end) {
      for (let index = 0; index < piece.length; index++) {
        starts.push(index === 0 ? start : -1);
        ends.push(index === piece.length - 1 ? end : -1);
      }
      append(piece);
    },
    addAll(piece, start) {
      for (let index = 0; index < piece.length; index++) {
        starts.push(start + index);
        ends.push(start + index + 1);
      }
      append(piece);
    },
    dropTrailingSpace() {
      const kept = line.trimEnd();
      starts.length -= line.length - kept.length;
      ends.length = starts.length + 1;
      line = kept;
    },
    view(originalLength) {
      return {
        text: finished.join('') + line,
        start: (offset) => (offset === starts.length ? originalLength : placeAt(starts, offset)),
        end: (offset) => placeAt(ends, offset),
      };
    },
  };

  function append(piece: string): void {
    line += piece;
    if (!piece.endsWith('\n')) return;
    finished.push(line);
    line = '';
  }
}

function placeAt(places: readonly number[], offset: number): number | null {
  const place = places[offset];
  return place === undefined || place < 0 ? null : place;
}

/** Plain characters, or one character with its combining marks, or one line break. */
const CLUSTER = /\r\n|\r|\n|[\t -~]+(?!\p{M})|[^\r\n]\p{M}*/gsu;
const PLAIN = /^[\t -~]+$/;
const BREAK = /^[\r\n]/;
