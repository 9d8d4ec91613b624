import { MillforgeError } from '../error/millforge-error.ts';
import { type ExactJson, JsonFloat, type JsonValue } from './json-value.ts';
import { setOwn } from './plain-object.ts';

/**
 * Drops number kinds: floats and integers become plain numbers.
 *
 * The result is a copy; any depth is accepted.
 *
 * @throws `json/unsafe-integer` for a bigint that a JavaScript number cannot hold exactly.
 */
export function toPlainJson(value: ExactJson): JsonValue {
  const pending: Pending[] = [];
  const result = plainOrEmpty(value, pending);
  // A worklist instead of recursion: a hostile document may nest deeper than the call stack.
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next.kind === 'array') {
      for (const item of next.from) next.to.push(plainOrEmpty(item, pending));
    } else {
      for (const key of Object.keys(next.from)) {
        const item = next.from[key];
        if (item !== undefined) setOwn(next.to, key, plainOrEmpty(item, pending));
      }
    }
  }
  return result;
}

type Pending =
  | { readonly kind: 'array'; readonly from: readonly ExactJson[]; readonly to: JsonValue[] }
  | {
      readonly kind: 'object';
      readonly from: { readonly [key: string]: ExactJson };
      readonly to: { [key: string]: JsonValue };
    };

function plainOrEmpty(value: ExactJson, pending: Pending[]): JsonValue {
  if (typeof value === 'bigint') return safeNumber(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof JsonFloat) return value.value;
  if (isArray(value)) {
    const to: JsonValue[] = [];
    pending.push({ kind: 'array', from: value, to });
    return to;
  }
  const to: { [key: string]: JsonValue } = {};
  pending.push({ kind: 'object', from: value, to });
  return to;
}

function safeNumber(value: bigint): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw new MillforgeError(
    'json/unsafe-integer',
    'An integer beyond ±(2^53−1) cannot become a JavaScript number without loss; keep it as text.',
  );
}

/** `Array.isArray` narrows a readonly array to nothing; this guard keeps its element type. */
function isArray(value: ExactJson): value is readonly ExactJson[] {
  return Array.isArray(value);
}
