/**
 * Freezes a JSON value to its leaves and reports whether it is one.
 *
 * False for undefined, functions, instances, NaN and infinities: what a durable log could not write.
 */
export function freezeJson(value: unknown): boolean {
  if (!isObject(value)) return isScalar(value);
  const walk: Walk = { deeper: [value], count: 0, seen: null };
  for (let next = walk.deeper.pop(); next !== undefined; next = walk.deeper.pop()) {
    if (!freezeAll(next, 0, walk)) return false;
  }
  return true;
}

interface Walk {
  /** What lies too deep for the call stack. */
  readonly deeper: object[];
  /** Objects so far. */
  count: number;
  /** Most values are small; what is seen twice is looked for in large ones, and a cycle makes one of those. */
  seen: Set<object> | null;
}

function freezeAll(value: object, depth: number, walk: Walk): boolean {
  if (depth > MAX_RECURSION) {
    walk.deeper.push(value);
    return true;
  }
  walk.count += 1;
  if (walk.count > SMALL) {
    walk.seen ??= new Set();
    if (walk.seen.has(value)) return true;
    walk.seen.add(value);
  }
  if (isList(value)) {
    // Counted, for many lists are frozen already, and through those the engine goes by an iterator.
    for (let at = 0; at < value.length; at++) {
      if (!freezeItem(settled(value, at), depth, walk)) return false;
    }
  } else if (isPlain(value)) {
    for (const name of Object.keys(value)) {
      if (!freezeItem(settled(value, name), depth, walk)) return false;
    }
  } else {
    return false;
  }
  Object.freeze(value);
  return true;
}

/** The value of a property, from now on: a getter could give something else the next time, and a frozen one, too. */
function settled(value: object, name: string | number): unknown {
  const property = Object.getOwnPropertyDescriptor(value, name);
  if (property === undefined || 'value' in property) return property?.value;
  const item: unknown = Reflect.get(value, name);
  const data = { value: item, enumerable: true, writable: false, configurable: false };
  return Reflect.defineProperty(value, name, data) ? item : undefined;
}

function freezeItem(item: unknown, depth: number, walk: Walk): boolean {
  return isObject(item) ? freezeAll(item, depth + 1, walk) : isScalar(item);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isScalar(value: unknown): boolean {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true;
  return typeof value === 'number' && Number.isFinite(value);
}

/** `Array.isArray` makes an array one of any; this guard leaves its items unknown. */
function isList(value: object): value is readonly unknown[] {
  return Array.isArray(value);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

const SMALL = 64;
const MAX_RECURSION = 100;
