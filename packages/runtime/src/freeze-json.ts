/**
 * Freezes a JSON value to its leaves and reports whether it is one.
 *
 * False for undefined, functions, instances, NaN and infinities: what a durable log could not write.
 */
export function freezeJson(value: unknown): boolean {
  if (isScalar(value)) return true;
  const pending: unknown[] = [value];
  // Most values are small; what is seen twice is looked for in large ones, and a cycle makes one of those.
  let seen: Set<object> | null = null;
  for (let count = 1; pending.length > 0; count += 1) {
    const next = pending.pop();
    if (typeof next !== 'object' || next === null) return false;
    if (count > SMALL) {
      seen ??= new Set();
      if (seen.has(next)) continue;
      seen.add(next);
    }
    if (!Array.isArray(next) && !isPlain(next)) return false;
    for (const key of Object.keys(next)) {
      const child: unknown = Reflect.get(next, key);
      if (!isScalar(child)) pending.push(child);
    }
    Object.freeze(next);
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

const SMALL = 64;
