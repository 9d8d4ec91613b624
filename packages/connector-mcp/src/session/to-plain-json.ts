import type { JsonValue } from '@millforge/contracts';
import { isWellFormed } from './well-formed.ts';

/** A copy of what a server sent that can be written down again exactly; undefined where it cannot be. */
export function toPlainJson(value: unknown, depth = 64): JsonValue | undefined {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'string') return isWellFormed(value) ? value : undefined;
  if (typeof value === 'number') {
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : value;
  }
  if (typeof value !== 'object' || depth === 0) return undefined;
  if (Array.isArray(value)) {
    const items: JsonValue[] = [];
    for (const item of value) {
      const copied = toPlainJson(item, depth - 1);
      if (copied === undefined) return undefined;
      items.push(copied);
    }
    return items;
  }
  const entries: [string, JsonValue][] = [];
  for (const [key, item] of Object.entries(value)) {
    const copied = toPlainJson(item, depth - 1);
    if (copied === undefined || !isWellFormed(key)) return undefined;
    entries.push([key, copied]);
  }
  return Object.fromEntries(entries);
}
