import type { JsonObject } from '@millforge/contracts';

/** One line for a person: the tool, and the first argument that says what it is about. */
export function describeCall(tool: string, input: JsonObject): string {
  for (const name of TELLING) {
    const value = input[name];
    if (typeof value === 'string' && value.trim() !== '') return `${tool} ${oneLine(value)}`;
  }
  const first = Object.values(input).find((value) => typeof value === 'string');
  return typeof first === 'string' && first.trim() !== '' ? `${tool} ${oneLine(first)}` : tool;
}

function oneLine(text: string): string {
  // Cut first: the argument may be a whole file.
  const line = text
    .slice(0, MAX_CHARACTERS + 1)
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (text.length <= MAX_CHARACTERS) return line;
  // The cut may leave half of a surrogate pair.
  return `${line.slice(0, MAX_CHARACTERS - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

const TELLING = ['path', 'file_path', 'file', 'command', 'pattern', 'query', 'url', 'summary'];
const MAX_CHARACTERS = 80;
