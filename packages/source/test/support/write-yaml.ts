import type { JsonValue } from '@millforge/contracts';

/** Chooses one of the ways to write the next thing, from 0 up to the count. */
export type Choose = (count: number) => number;

/** Writes a JSON value as YAML, using every notation the source language has. */
export function writeYaml(value: { readonly [key: string]: JsonValue }, choose: Choose): string {
  const lines: string[] = [...filler(choose)];
  if (Object.keys(value).length === 0) lines.push('{}');
  writeMapping(lines, value, { indent: 0, choose });
  return `${lines.join('\n')}${choose(2) === 0 ? '\n' : ''}`;
}

interface Place {
  readonly indent: number;
  readonly choose: Choose;
}

function writeMapping(
  lines: string[],
  mapping: { readonly [key: string]: JsonValue },
  place: Place,
): void {
  for (const [key, value] of Object.entries(mapping)) {
    lines.push(...filler(place.choose));
    writeEntry(lines, value, {
      ...place,
      head: `${pad(place.indent)}${writeKey(key, place.choose)}:`,
    });
  }
}

function writeList(lines: string[], list: readonly JsonValue[], place: Place): void {
  for (const value of list) {
    lines.push(...filler(place.choose));
    const head = `${pad(place.indent)}-`;
    const [first, ...rest] = isMapping(value) ? Object.entries(value) : [];
    if (isMapping(value) && first !== undefined && place.choose(2) === 0) {
      const inner = { ...place, indent: place.indent + 2 };
      const key = writeKey(first[0], place.choose);
      writeEntry(lines, first[1], { ...inner, head: `${head} ${key}:` });
      writeMapping(lines, Object.fromEntries(rest), inner);
    } else writeEntry(lines, value, { ...place, head });
  }
}

function writeEntry(
  lines: string[],
  value: JsonValue,
  place: Place & { readonly head: string },
): void {
  const { head, choose } = place;
  const step = place.indent + 1 + choose(4);
  const isEmpty = isMapping(value) && Object.keys(value).length === 0;
  if (isEmpty && choose(2) === 0) lines.push(head);
  else if (isMapping(value) && !isEmpty && choose(3) > 0) {
    lines.push(head);
    writeMapping(lines, value, { choose, indent: step });
  } else if (Array.isArray(value) && value.length > 0 && choose(3) > 0) {
    lines.push(head);
    writeList(lines, value, { choose, indent: step });
  } else if (typeof value === 'string' && isLiteral(value) && choose(2) === 0) {
    const body = value.slice(0, -1).split('\n');
    lines.push(`${head} |`, ...body.map((line) => (line === '' ? '' : `${pad(step)}${line}`)));
  } else {
    const comment = choose(4) === 0 ? '  # - [x: |' : '';
    lines.push(`${head}${choose(3) === 0 ? '\t' : ' '}${writeScalar(value, choose)}${comment}`);
  }
}

function writeScalar(value: JsonValue, choose: Choose): string {
  if (typeof value === 'string' && choose(2) === 0) {
    if (/^[A-Za-z][A-Za-z .]*[a-z]$/.test(value) && !/^(?:true|false|null|nan|inf)$/i.test(value)) {
      return value;
    }
    if (!/[\n\r]/.test(value)) return `'${value.replaceAll("'", "''")}'`;
  }
  return value === null && choose(2) === 0 ? '~' : JSON.stringify(value);
}

function writeKey(key: string, choose: Choose): string {
  const isPlain = /^[a-z_]+$/.test(key) && !/^(?:true|false|null)$/.test(key);
  return isPlain && choose(2) === 0 ? key : JSON.stringify(key);
}

/** A literal begins with a line that shows its indentation and ends with exactly one line end. */
function isLiteral(value: string): boolean {
  return /^[^\s]/.test(value) && /[^\s]\n$/.test(value) && !value.includes('\r');
}

/** Lines that mean nothing; unindented, for behind a literal any other would be a part of it. */
function filler(choose: Choose): readonly string[] {
  return [['# a: b'], ['', '#'], ['', ''], [], [], []][choose(6)] ?? [];
}

function pad(indent: number): string {
  return ' '.repeat(indent);
}

function isMapping(value: JsonValue): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
