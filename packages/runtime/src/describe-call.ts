import type { JsonObject } from '@millforge/contracts';

/** One line for a person: the tool, and the argument that says best what it is about. */
export function describeCall(tool: string, input: JsonObject): string {
  let told: string | null = null;
  let rank = TELLING.length;
  for (const name of Object.keys(input)) {
    const value = input[name];
    if (typeof value !== 'string' || value.trim() === '') continue;
    // Of arguments with other names the first one tells.
    const place = TELLING.indexOf(name);
    const own = place < 0 ? TELLING.length : place;
    if (told !== null && own >= rank) continue;
    told = value;
    rank = own;
  }
  return told === null ? tool : `${tool} ${oneLine(told)}`;
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
