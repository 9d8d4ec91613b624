import { isPlainObject } from './plain-object.ts';

/**
 * Freezes a document to the leaves, in place, and returns it.
 *
 * Descends through arrays and plain objects only; instances, functions and typed arrays are left as they are.
 */
export function deepFreeze<T>(value: T): T {
  const seen = new Set<object>();
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (!Array.isArray(next) && !isPlainObject(next)) continue;
    if (Object.isFrozen(next)) {
      // Frozen by others, or here on the way round a cycle; what lies below may not be.
      if (seen.has(next)) continue;
      seen.add(next);
    } else {
      Object.freeze(next);
    }
    for (const child of Object.values(next)) {
      if (typeof child === 'object' && child !== null) pending.push(child);
    }
  }
  return value;
}
