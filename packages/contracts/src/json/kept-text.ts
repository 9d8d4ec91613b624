/**
 * Lets the canonical text of a value be kept for as long as the value lives, and returns the value.
 *
 * Only for data that is frozen to its leaves and written many times, such as the schemas of a catalog
 * and the nodes of a plan: a value that could still change would go on being written as it was.
 */
export function keepText<Value extends object>(value: Value): Value {
  if (!kept.has(value)) kept.set(value, null);
  return value;
}

/** The kept text of a value, null when it is to be kept but was not written yet, else undefined. */
export function keptText(value: object): string | null | undefined {
  return kept.get(value);
}

/** Keeps the text of a value that asked for it. */
export function noteText(value: object, text: string): void {
  kept.set(value, text);
}

const kept = new WeakMap<object, string | null>();
