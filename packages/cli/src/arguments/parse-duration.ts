import { usageError } from '../cli-error.ts';

/** Parses `90s`, `30m`, `2h` or `500ms` into milliseconds, at most 24 hours. */
export function parseDuration(text: string, option: string): number {
  const match = /^(\d{1,9})(ms|s|m|h)$/.exec(text);
  const amount = Number(match?.[1]);
  const milliseconds = amount * (UNIT_MS[match?.[2] ?? ''] ?? Number.NaN);
  if (!(milliseconds >= 1000 && milliseconds <= 86_400_000)) {
    throw usageError(
      `${option} must be a duration from 1s to 24h, such as 90s, 30m or 2h; it was '${text.slice(0, 40)}'.`,
    );
  }
  return milliseconds;
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
