/** A text field of an object of another library, or null. */
export function textOf(value: object, key: string): string | null {
  const found: unknown = Reflect.get(value, key);
  return typeof found === 'string' ? found : null;
}

/** The objects in a list that is a field of an object of another library; none where it is no list. */
export function itemsOf(value: object, key: string): readonly object[] {
  const found: unknown = Reflect.get(value, key);
  return Array.isArray(found) ? found.filter(isObject) : [];
}

/** An object that is a field of an object of another library, or null. */
export function objectOf(value: object, key: string): object | null {
  const found: unknown = Reflect.get(value, key);
  return isObject(found) ? found : null;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
