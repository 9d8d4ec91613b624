import { existsSync, readFileSync } from 'node:fs';
import type { LogLine } from './child-order.ts';
import type { RunPlaces } from './scripted-run.ts';

/** Reads what the processes of a run wrote. */
export function readLog({ log }: RunPlaces): readonly LogLine[] {
  if (!existsSync(log)) return [];
  return readFileSync(log, 'utf8')
    .trim()
    .split('\n')
    .map((line): LogLine => JSON.parse(line));
}
