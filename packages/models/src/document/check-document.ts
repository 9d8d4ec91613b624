import { isPlainObject } from './plain-object.ts';

/** One mistake in a document, as plain data: where, and what was expected. */
export interface DocumentProblem {
  /** RFC 6901 pointer into the document; `/` for the root. */
  readonly path: string;
  /** One sentence: what is wrong, what was expected. */
  readonly message: string;
}

/** Judges one value; every mistake in it is added to the problems of the place. */
export type Check = (value: unknown, place: Place) => void;

/** Where a value stands, and where its problems go. */
export interface Place {
  readonly path: string;
  readonly problems: DocumentProblem[];
}

/** Applies a check to a whole document and collects every problem in it. */
export function checkDocument(value: unknown, check: Check): readonly DocumentProblem[] {
  const problems: DocumentProblem[] = [];
  check(value, { path: '', problems });
  return problems;
}

/** An object with exactly these fields. */
export function closedObject(
  what: string,
  fields: {
    readonly required: { readonly [name: string]: Check };
    readonly optional?: { readonly [name: string]: Check };
  },
): Check {
  const checks = new Map(Object.entries({ ...fields.required, ...fields.optional }));
  const names = [...checks.keys()].join(', ');
  return (value, place) => {
    if (!isPlainObject(value)) return complain(place, `${what} must be an object.`);
    for (const name of Object.keys(fields.required)) {
      if (!Object.hasOwn(value, name)) complain(place, `${what} needs the field "${name}".`);
    }
    for (const [name, item] of Object.entries(value)) {
      const check = checks.get(name);
      if (check !== undefined) check(item, within(place, name));
      else complain(within(place, name), `${what} has no such field; its fields are ${names}.`);
    }
  };
}

/** A list of alike items. */
export function listOf(item: Check, limits: { readonly min: number; readonly max: number }): Check {
  return (value, place) => {
    if (!Array.isArray(value) || value.length < limits.min || value.length > limits.max) {
      return complain(place, `Expected a list of ${limits.min} to ${limits.max} items.`);
    }
    value.forEach((entry: unknown, index) => {
      item(entry, within(place, String(index)));
    });
  };
}

/** An object whose keys the author chooses; `key` says what is wrong with one, or null. */
export function mapOf(item: Check, key: (name: string) => string | null): Check {
  return (value, place) => {
    if (!isPlainObject(value)) return complain(place, 'Expected an object.');
    for (const [name, entry] of Object.entries(value)) {
      const wrong = key(name);
      if (wrong === null) item(entry, within(place, name));
      else complain(within(place, name), wrong);
    }
  };
}

/** A text that a predicate accepts. */
export function textWhere(expected: string, accepts: (text: string) => boolean): Check {
  return (value, place) => {
    if (typeof value !== 'string' || !accepts(value)) complain(place, `Expected ${expected}.`);
  };
}

/** One of a few constants. */
export function oneOf(...constants: readonly string[]): Check {
  const expected = constants.map((constant) => `"${constant}"`).join(' or ');
  return textWhere(expected, (text) => constants.includes(text));
}

/** A whole number within a range, both ends included. */
export function integerFrom(min: number, max: number): Check {
  return (value, place) => {
    if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
      complain(place, `Expected an integer from ${min} to ${max}.`);
    }
  };
}

/** A number within a range, both ends included. */
export function numberFrom(min: number, max: number): Check {
  return (value, place) => {
    if (typeof value !== 'number' || !(value >= min && value <= max)) {
      complain(place, `Expected a number from ${min} to ${max}.`);
    }
  };
}

/** A boolean. */
export const flag: Check = (value, place) => {
  if (typeof value !== 'boolean') complain(place, 'Expected true or false.');
};

/** Any JSON value, nested at most 32 levels. */
export const jsonValue: Check = (value, place) => {
  if (!isJson(value, 32)) complain(place, 'Expected a JSON value, nested at most 32 levels.');
};

/** Adds a problem at a place. */
export function complain(place: Place, message: string): void {
  place.problems.push({ path: place.path === '' ? '/' : place.path, message });
}

function within(place: Place, name: string): Place {
  const token = name.replaceAll('~', '~0').replaceAll('/', '~1');
  return { path: `${place.path}/${token}`, problems: place.problems };
}

function isJson(value: unknown, depth: number): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (depth === 0 || typeof value !== 'object') return false;
  if (!Array.isArray(value) && !isPlainObject(value)) return false;
  return Object.values(value).every((item) => isJson(item, depth - 1));
}
