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
    if (isList(next)) {
      for (const item of next) if (!isScalar(item)) pending.push(item);
    } else if (isPlain(next)) {
      // The engine reads along such a loop without looking the names up; only what is no scalar is asked
      // whether it is the object's own.
      for (const name in next) {
        const child = next[name];
        if (!isScalar(child) && Object.hasOwn(next, name)) pending.push(child);
      }
    } else {
      return false;
    }
    Object.freeze(next);
  }
  return true;
}

function isScalar(value: unknown): boolean {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true;
  return typeof value === 'number' && Number.isFinite(value);
}

/** `Array.isArray` makes an array one of any; this guard leaves its items unknown. */
function isList(value: object): value is readonly unknown[] {
  return Array.isArray(value);
}

function isPlain(value: object): value is { readonly [name: string]: unknown } {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

const SMALL = 64;
