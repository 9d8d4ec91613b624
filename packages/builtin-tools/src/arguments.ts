import { type JsonObject, MillforgeError } from '@millforge/contracts';

// The executor has validated the arguments; these readers only tell the compiler so.

/** A required text. */
export function stringArgument(input: JsonObject, name: string): string {
  const value = input[name];
  if (typeof value === 'string') return value;
  throw new MillforgeError('internal/unvalidated', `The argument ${name} was not validated.`);
}

/** An optional text; null when it is absent. */
export function optionalString(input: JsonObject, name: string): string | null {
  const value = input[name];
  return typeof value === 'string' ? value : null;
}

/** An optional list of texts; null when it is absent. */
export function optionalStrings(input: JsonObject, name: string): readonly string[] | null {
  const value = input[name];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : null;
}

/** A limit: the default when it is absent or below one, at most the greatest. */
export function limitArgument(
  input: JsonObject,
  name: string,
  { fallback, greatest }: { readonly fallback: number; readonly greatest: number },
): number {
  const value = input[name];
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1) return fallback;
  return Math.min(value, greatest);
}

/** Bytes of content in one result. */
export const BYTES = { fallback: 32_768, greatest: 1_048_576 } as const;

/** Entries of one list. */
export const RESULTS = { fallback: 200, greatest: 1000 } as const;
