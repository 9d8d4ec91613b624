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
  const copy: Copy = { dropUndefined, open: [], steps: [], values: 0, units: 0 };
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
  /** The containers that are being copied, outermost first. */
  readonly open: object[];
  /** The way to each of them: `$`, `.edits`, `[0]`; a path is put together only where something is wrong. */
  readonly steps: (string | number)[];
  values: number;
  units: number;
}

/** Copies a value that stands under that name or number in the container that was opened last. */
function copyValue(value: unknown, step: string | number, copy: Copy): JsonValue {
  if (++copy.values > MAX_VALUES) throw notJson(step, copy, 'more than 200,000 values');
  if (typeof value === 'string') return charge(value, step, copy);
  if (typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number') return finite(value, step, copy);
  if (typeof value === 'object') {
    if (!(value instanceof JsonFloat)) return copyContainer(value, step, copy);
    return finite(value.value, step, copy);
  }
  throw notJson(step, copy, value === undefined ? 'undefined' : `a ${typeof value}`);
}

function finite(value: number, step: string | number, copy: Copy): number {
  if (Number.isFinite(value)) return value;
  throw notJson(step, copy, 'a number that is not finite');
}

function copyContainer(value: object, step: string | number, copy: Copy): JsonValue {
  const { open, steps } = copy;
  // Never more than 64, which are looked through in less time than a set is made.
  if (open.includes(value)) throw notJson(step, copy, 'a cycle');
  if (open.length >= MAX_DEPTH) throw notJson(step, copy, 'more than 64 levels');
  open.push(value);
  steps.push(step);
  const result = Array.isArray(value) ? copyArray(value, copy) : copyObject(value, copy);
  open.pop();
  steps.pop();
  return Object.freeze(result);
}

function copyArray(value: readonly unknown[], copy: Copy): readonly JsonValue[] {
  const result: JsonValue[] = [];
  for (let index = 0; index < value.length; index++) {
    result.push(copyValue(value[index], index, copy));
  }
  return result;
}

function copyObject(value: object, copy: Copy): JsonObject {
  const prototype: unknown = Object.getPrototypeOf(value);
  // The root prototype of another realm has no prototype itself; class instances have two levels.
  if (
    prototype !== Object.prototype &&
    prototype !== null &&
    Object.getPrototypeOf(prototype) !== null
  ) {
    throw notJson(null, copy, 'an instance of a class');
  }
  const result: { [key: string]: JsonValue } = {};
  for (const key of Object.keys(value)) {
    const child: unknown = Reflect.get(value, key);
    if (child === undefined && copy.dropUndefined) continue;
    charge(key, null, copy);
    const item = copyValue(child, key, copy);
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

function charge(text: string, step: string | number | null, copy: Copy): string {
  copy.units += text.length;
  if (copy.units > MAX_UNITS) throw notJson(step, copy, 'more than 64 Mi characters');
  return text;
}

/** Leaves the recursion; never leaves this file. */
function notJson(step: string | number | null, { steps }: Copy, found: string): MillforgeError {
  const way = step === null ? steps : [...steps, step];
  const path = way
    .map((one, depth) => (depth === 0 ? one : typeof one === 'number' ? `[${one}]` : `.${one}`))
    .join('');
  const place = path.length > 200 ? `${path.slice(0, 200).replace(/[\ud800-\udbff]$/, '')}…` : path;
  return new MillforgeError('json/not-json', `${place} holds ${found}.`, {
    details: { path: place, found },
  });
}

const MAX_DEPTH = 64;
const MAX_VALUES = 200_000;
const MAX_UNITS = 64 * 1024 * 1024;
