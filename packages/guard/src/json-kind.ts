import type { JsonObject, JsonValue } from '@millforge/contracts';

/** Whether a value is an object with names, not a list. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !isJsonList(value);
}

/** Whether a value is a list; `Array.isArray` loses the type of its items. */
export function isJsonList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
