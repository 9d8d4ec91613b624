import { type JsonObject, MillforgeError } from '@millforge/contracts';

// The executor has validated the arguments; these readers only tell the compiler so.

/** A required text. */
export function stringArgument(input: JsonObject, name: string): string {
  const value = input[name];
  if (typeof value === 'string') return value;
  throw new MillforgeError('internal/unvalidated', `The argument ${name} was not validated.`);
}

/** An optional text. */
export function optionalString(input: JsonObject, name: string): string | null {
  const value = input[name];
  return typeof value === 'string' ? value : null;
}

/** An optional number. */
export function optionalNumber(input: JsonObject, name: string): number | null {
  const value = input[name];
  return typeof value === 'number' ? value : null;
}

/** An optional truth value; absent is false. */
export function isSet(input: JsonObject, name: string): boolean {
  return input[name] === true;
}

/** A limit of a list: whole, at least one. */
export function limitArgument(input: JsonObject, fallback: number): number {
  return Math.max(1, Math.floor(optionalNumber(input, 'limit') ?? fallback));
}
