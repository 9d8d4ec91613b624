import type { JsonValue } from '@millforge/contracts';

/** A field of an object; undefined when there is none. */
export function fieldOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return new Map<string, JsonValue>(Object.entries(value)).get(name);
}
