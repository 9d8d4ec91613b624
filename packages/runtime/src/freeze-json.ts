/**
 * Freezes a JSON value to its leaves and reports whether it is one.
 *
 * False for undefined, functions, instances, NaN and infinities: what a durable log could not write.
 */
export function freezeJson(value: unknown): boolean {
  const pending: unknown[] = [value];
  const seen = new Set<object>();
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === 'string' || typeof next === 'boolean') continue;
    if (typeof next === 'number' && Number.isFinite(next)) continue;
    if (typeof next !== 'object') return false;
    if (next === null || seen.has(next)) continue;
    if (!Array.isArray(next) && !isPlain(next)) return false;
    seen.add(Object.freeze(next));
    for (const child of Object.values(next)) pending.push(child);
  }
  return true;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
