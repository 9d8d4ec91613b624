/** A JSON leaf as JavaScript holds it. */
export type JsonPrimitive = null | boolean | number | string;

/** Any value that JSON text can express, as plain readonly JavaScript data. */
export type JsonValue = JsonPrimitive | readonly JsonValue[] | JsonObject;

/** A JSON object: string keys, JSON values. */
export interface JsonObject {
  /** The value under each key. */
  readonly [key: string]: JsonValue;
}

/**
 * A number that was written as a float, even where its value is integral, as in `1.0`.
 *
 * Canonical JSON keeps integers and floats apart, which a plain JavaScript number cannot do.
 */
export class JsonFloat {
  readonly #value: number;

  /** Wraps the numeric value of a float lexeme. */
  constructor(value: number) {
    this.#value = value;
  }

  /** The numeric value. */
  get value(): number {
    return this.#value;
  }

  /** Gives the plain number, so that `JSON.stringify` works. */
  toJSON(): number {
    return this.#value;
  }

  /** Asks for the private brand: an object that only imitates the prototype is not an instance. */
  static [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && #value in value;
  }
}

/** A JSON value that keeps number kinds: floats as {@link JsonFloat}, integers beyond ±(2^53−1) as bigint. */
export type ExactJson =
  | JsonPrimitive
  | JsonFloat
  | bigint
  | readonly ExactJson[]
  | {
      /** The value under each key. */
      readonly [key: string]: ExactJson;
    };
