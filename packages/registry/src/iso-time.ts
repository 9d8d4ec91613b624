/**
 * Writes a time in milliseconds since the epoch as ISO 8601 in UTC.
 *
 * Calls come in bursts, and to write a date takes a good part of the time of a short one: what all times of
 * one second begin with is kept.
 */
export function isoTime(ms: number): string {
  const second = Math.floor(ms / 1000);
  if (second !== last.second) {
    last = { second, text: new Date(second * 1000).toISOString().slice(0, -4) };
  }
  return `${last.text}${String(Math.floor(ms) - second * 1000).padStart(3, '0')}Z`;
}

let last = { second: Number.NaN, text: '' };
