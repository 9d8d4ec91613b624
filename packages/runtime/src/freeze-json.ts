/**
 * Freezes a JSON value to its leaves and reports whether it is one.
 *
 * False for undefined, functions, instances, NaN and infinities: what a durable log could not write.
 */
export function freezeJson(value: unknown): boolean {
  if (isScalar(value)) return true;
  const pending: unknown[] = [value];
  const seen = new Set<object>();
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next !== 'object' || next === null) return false;
    if (seen.has(next)) continue;
    if (!Array.isArray(next) && !isPlain(next)) return false;
    for (const child of Object.values(next)) if (!isScalar(child)) pending.push(child);
    seen.add(Object.freeze(next));
  }
  return true;
}

function isScalar(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value === 'string' || typeof value === 'boolean' || value === null;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
