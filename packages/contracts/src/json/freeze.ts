import { keptText } from './kept-text.ts';
import { isPlainObject } from './plain-object.ts';

/**
 * Freezes a document to the leaves, in place, and returns it.
 *
 * Descends through arrays and plain objects only; instances, functions and typed arrays are left as they are.
 */
export function deepFreeze<T>(value: T): T {
  const seen = new Set<unknown>();
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    const isArray = Array.isArray(next);
    if (!isArray && !isPlainObject(next)) continue;
    if (Object.isFrozen(next)) {
      // Frozen by others, or here on the way round a cycle; what lies below may not be, unless its
      // text is kept, which only a value frozen to its leaves may ask for.
      if (seen.has(next) || keptText(next) !== undefined) continue;
      seen.add(next);
    } else {
      Object.freeze(next);
    }
    if (isArray) {
      for (const child of next) if (isContainer(child)) pending.push(child);
    } else {
      for (const key of Object.keys(next)) if (isContainer(next[key])) pending.push(next[key]);
    }
  }
  return value;
}

function isContainer(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
