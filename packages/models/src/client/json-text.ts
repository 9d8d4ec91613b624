import { canonicalJson, type ExactJson, JsonFloat } from '@millforge/contracts';

/** Writes a value back as compact JSON text: keys in their order, number kinds kept, text unescaped. */
export function jsonText(value: ExactJson): string {
  if (value === null || typeof value !== 'object') {
    return typeof value === 'bigint' ? value.toString() : JSON.stringify(value);
  }
  if (value instanceof JsonFloat) return canonicalJson(value, { newline: false });
  if (Array.isArray(value)) {
    const items: readonly ExactJson[] = value;
    return `[${items.map(jsonText).join(',')}]`;
  }
  const entries = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}:${jsonText(item)}`,
  );
  return `{${entries.join(',')}}`;
}

/** Tells a JSON object from lists, floats and other leaves. */
export function isJsonObject(
  value: ExactJson | undefined,
): value is { readonly [key: string]: ExactJson } {
  if (typeof value !== 'object' || value === null) return false;
  return !Array.isArray(value) && !(value instanceof JsonFloat);
}
