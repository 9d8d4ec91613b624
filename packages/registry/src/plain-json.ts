import { JsonFloat, type JsonObject, type JsonValue, MillforgeError } from '@millforge/contracts';

/** A frozen copy of a value as plain JSON, or where it is none. */
export type PlainJson =
  | { readonly ok: true; readonly value: JsonValue }
  | {
      readonly ok: false;
      /** `$`, `$.edits[0].newText`. */
      readonly path: string;
      /** What was found there: `a function`, `a cycle`. */
      readonly found: string;
    };

/**
 * Takes a frozen copy of a value as plain JSON; never throws, whatever getters and proxies do.
 *
 * Refuses more than 64 levels, 200,000 values and 64 Mi UTF-16 units of text.
 */
export function toPlainCopy(
  value: unknown,
  options: {
    /** Leaves out properties that are undefined, as `JSON.stringify` does; default false. */
    readonly dropUndefined?: boolean;
  } = {},
): PlainJson {
  const dropUndefined = options.dropUndefined ?? false;
  const copy: Copy = { dropUndefined, open: new Set(), values: 0, units: 0 };
  try {
    return { ok: true, value: copyValue(value, '$', copy) };
  } catch (error) {
    if (!MillforgeError.is(error, 'json/not-json')) {
      return { ok: false, path: '$', found: 'a value that cannot be read' };
    }
    const { path = '$', found = 'no JSON' } = { ...Object(error.details) };
    return { ok: false, path: String(path), found: String(found) };
  }
}

/** Tells a JSON object from the other JSON values. */
export function isJsonObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

interface Copy {
  readonly dropUndefined: boolean;
  readonly open: Set<object>;
  values: number;
  units: number;
}

function copyValue(value: unknown, path: string, copy: Copy): JsonValue {
  if (++copy.values > MAX_VALUES) throw notJson(path, 'more than 200,000 values');
  if (typeof value === 'string') return charge(value, path, copy);
  if (typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number') return finite(value, path);
  if (typeof value === 'object') {
    if (!(value instanceof JsonFloat)) return copyContainer(value, path, copy);
    return finite(value.value, path);
  }
  throw notJson(path, value === undefined ? 'undefined' : `a ${typeof value}`);
}

function finite(value: number, path: string): number {
  if (Number.isFinite(value)) return value;
  throw notJson(path, 'a number that is not finite');
}

function copyContainer(value: object, path: string, copy: Copy): JsonValue {
  if (copy.open.has(value)) throw notJson(path, 'a cycle');
  if (copy.open.size >= MAX_DEPTH) throw notJson(path, 'more than 64 levels');
  copy.open.add(value);
  const result = Array.isArray(value)
    ? Array.from(value, (item: unknown, index) => copyValue(item, `${path}[${index}]`, copy))
    : copyObject(value, path, copy);
  copy.open.delete(value);
  return Object.freeze(result);
}

function copyObject(value: object, path: string, copy: Copy): JsonObject {
  const prototype: unknown = Object.getPrototypeOf(value);
  // The root prototype of another realm has no prototype itself; class instances have two levels.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    throw notJson(path, 'an instance of a class');
  }
  const result: { [key: string]: JsonValue } = {};
  for (const [key, child] of Object.entries(value)) {
    if (child === undefined && copy.dropUndefined) continue;
    charge(key, path, copy);
    const item = copyValue(child, `${path}.${key}`, copy);
    if (key === '__proto__') {
      // Plain assignment would change the prototype instead.
      Object.defineProperty(result, key, {
        value: item,
        enumerable: true,
        writable: true,
        configurable: true,
      });
    } else {
      result[key] = item;
    }
  }
  return result;
}

function charge(text: string, path: string, copy: Copy): string {
  copy.units += text.length;
  if (copy.units > MAX_UNITS) throw notJson(path, 'more than 64 Mi characters');
  return text;
}

/** Leaves the recursion; never leaves this file. */
function notJson(path: string, found: string): MillforgeError {
  const place = path.length > 200 ? `${path.slice(0, 200)}…` : path;
  return new MillforgeError('json/not-json', `${place} holds ${found}.`, {
    details: { path: place, found },
  });
}

const MAX_DEPTH = 64;
const MAX_VALUES = 200_000;
const MAX_UNITS = 64 * 1024 * 1024;
