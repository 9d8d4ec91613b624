import type { JsonValue } from '@millforge/contracts';

/** Whether two JSON values are deeply equal; key order does not count, any depth is accepted. */
export function sameJson(left: JsonValue, right: JsonValue): boolean {
  const pending: (readonly [JsonValue, JsonValue])[] = [[left, right]];
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    const [a, b] = pair;
    if (a === b) continue;
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
    if (isList(a) || isList(b)) {
      if (!isList(a) || !isList(b) || a.length !== b.length) return false;
      for (const [index, item] of a.entries()) {
        const other = b[index];
        if (other === undefined) return false;
        pending.push([item, other]);
      }
      continue;
    }
    const names = Object.keys(a);
    if (names.length !== Object.keys(b).length) return false;
    for (const name of names) {
      const [item, other] = [a[name], Object.hasOwn(b, name) ? b[name] : undefined];
      if (item === undefined || other === undefined) return false;
      pending.push([item, other]);
    }
  }
  return true;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
