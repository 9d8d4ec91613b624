/** Names by what a function makes of them; null where it makes the same of two, and none for nothing. */
export function byKey(
  names: readonly string[],
  keyOf: (name: string) => string,
): ReadonlyMap<string, string | null> {
  const found = new Map<string, string | null>();
  for (const name of new Set(names)) {
    const key = keyOf(name);
    if (key !== '') found.set(key, found.has(key) ? null : name);
  }
  return found;
}
