/** Whether a parsed value is an object with names. */
export function isJsonObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
