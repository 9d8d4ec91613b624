/** The text of an object that does not change, written the first time it is asked for. */
export function once<K extends object>(
  cache: WeakMap<K, string>,
  key: K,
  encode: (key: K) => string,
): string {
  let text = cache.get(key);
  if (text === undefined) {
    text = encode(key);
    cache.set(key, text);
  }
  return text;
}
