import type { JsonValue } from '../json/json-value.ts';

/**
 * The one error class of the house; branch on `code`, never on the message.
 *
 * Thrown for mistakes of the host program and for broken invariants. Mistakes in a user's document are
 * diagnostics, failures of a model or a tool are outcomes: neither is thrown.
 */
export class MillforgeError extends Error {
  /** What happened, as `package/reason`, for example `kernel/closed`. Stable across releases. */
  readonly code: string;
  /** Facts about the failure as plain JSON, without secrets. */
  declare readonly details?: JsonValue;

  /** Creates an error with a stable code and one sentence for people. */
  constructor(code: string, message: string, options: MillforgeErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'MillforgeError';
    this.code = code;
    if (options.details !== undefined) this.details = options.details;
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** Tells a Millforge error apart from any other value, also across copies of this package. */
  static is(error: unknown, code?: string): error is MillforgeError {
    if (typeof error !== 'object' || error === null || !(BRAND in error)) return false;
    return code === undefined || ('code' in error && error.code === code);
  }
}

/** What a {@link MillforgeError} carries besides its code and its message. */
export interface MillforgeErrorOptions {
  /** Facts about the failure as plain JSON, without secrets. */
  readonly details?: JsonValue;
  /** The error that led to this one. */
  readonly cause?: unknown;
}

/** Marks a branch that the types rule out; throws `internal/unreachable` when it is reached all the same. */
export function unreachable(value: never, what = 'value'): never {
  // The value itself may hold a secret, so only its type is named.
  throw new MillforgeError(
    'internal/unreachable',
    `Met an impossible ${what} of type ${typeof value}.`,
  );
}

const BRAND: unique symbol = Symbol.for('millforge.error');
