/** Tells a plain object (a literal, a null prototype, also of another realm) from arrays and instances. */
export function isPlainObject(value: unknown): value is { readonly [key: string]: unknown } {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return true;
  // The root prototype of another realm has no prototype itself; class instances and arrays have two levels.
  return Object.getPrototypeOf(prototype) === null && !Array.isArray(value);
}

/** Sets an own property under any name; plain assignment to `__proto__` would change the prototype instead. */
export function setOwn<T>(target: { [key: string]: T }, key: string, value: T): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  } else {
    target[key] = value;
  }
}
