import { clipLine } from '../truncate-text.ts';

/** The beginning of a row that is too long; Pi may cut a character in half. */
export function clipRow(line: string, asPi: boolean): string {
  if (!asPi || line.length <= MAX_UNITS) return clipLine(line, MAX_UNITS);
  return `${line.slice(0, MAX_UNITS)}... [truncated]`;
}

const MAX_UNITS = 500;
