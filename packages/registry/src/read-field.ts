/** A field of a value from the other side of the boundary; undefined for one that cannot be read, too. */
export function readField(value: unknown, name: string): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null)
    return undefined;
  try {
    const field: unknown = Reflect.get(value, name);
    return field;
  } catch {
    // A getter or a proxy threw: what cannot be read is not there.
    return undefined;
  }
}
