import { JsonFloat } from '../json/json-value.ts';
import { compilePattern } from './compile-pattern.ts';
import { formatName, hasFormat } from './has-format.ts';
import type { NumberSchema, ScalarSchema, SchemaNumber, StringSchema } from './schema.ts';

/** What a value of the right type must satisfy too, and how that is said. */
export interface Limit {
  /** The rest of a sentence that begins with the place: `must be at least 3`. */
  readonly claim: string;
  /** Whether a value of the right type satisfies it. */
  readonly holds: (value: unknown) => boolean;
}

/** The limits of a scalar beyond its type and its enum, cheap ones first. */
export function scalarLimits(schema: ScalarSchema): readonly Limit[] {
  const type = scalarType(schema);
  // The type says which keywords there are; a pair with null is beyond what narrowing sees.
  if (type === 'string') return stringLimits(schema as StringSchema);
  return type === 'boolean' ? [] : numberLimits(schema as NumberSchema);
}

/** The type of a scalar, without null. */
export function scalarType({ type }: ScalarSchema): 'string' | 'integer' | 'number' | 'boolean' {
  return typeof type === 'string' ? type : type[0];
}

/** Says a number of things: `1 item`, `2 items`. */
export function countOf(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function stringLimits(schema: StringSchema): readonly Limit[] {
  const { minLength = 0, maxLength, pattern, format } = schema;
  const limits: Limit[] = [];
  const add = (claim: string, holds: (text: string) => boolean): void => {
    limits.push({
      claim: `must ${claim}`,
      holds: (value) => typeof value === 'string' && holds(value),
    });
  };
  if (minLength > 0) {
    add(`have at least ${countOf(minLength, 'character')}`, (text) => hasAtLeast(text, minLength));
  }
  if (maxLength !== undefined) {
    add(
      `have at most ${countOf(maxLength, 'character')}`,
      (text) => !hasAtLeast(text, maxLength + 1),
    );
  }
  if (format !== undefined) add(`be ${formatName(format)}`, (text) => hasFormat(text, format));
  if (pattern !== undefined) {
    const compiled = compilePattern(pattern);
    const shown = pattern.length <= 200 ? pattern : `${pattern.slice(0, 200)}…`;
    // A normal form has patterns of the subset only; what cannot be checked is not accepted.
    add(`match the pattern ${shown}`, compiled.ok ? compiled.test : () => false);
  }
  return limits;
}

function numberLimits(schema: NumberSchema): readonly Limit[] {
  const limits: Limit[] = [];
  const add = (
    words: string,
    bound: SchemaNumber | undefined,
    holds: (value: number | bigint, bound: number) => boolean,
  ): void => {
    if (bound === undefined) return;
    const limit = typeof bound === 'number' ? bound : bound.value;
    limits.push({
      claim: `must be ${words} ${limit}`,
      holds: (value) => {
        const plain = value instanceof JsonFloat ? value.value : value;
        return (typeof plain === 'number' || typeof plain === 'bigint') && holds(plain, limit);
      },
    });
  };
  add('at least', schema.minimum, (value, bound) => value >= bound);
  add('at most', schema.maximum, (value, bound) => value <= bound);
  add('more than', schema.exclusiveMinimum, (value, bound) => value > bound);
  add('less than', schema.exclusiveMaximum, (value, bound) => value < bound);
  return limits;
}

/** Counts code points, and only where the number of code units leaves a doubt. */
function hasAtLeast(text: string, least: number): boolean {
  if (text.length < least) return false;
  if (text.length >= 2 * least) return true;
  let surplus = text.length - least;
  for (let at = 0; at < text.length && surplus >= 0; at++) {
    if ((text.codePointAt(at) ?? 0) > 0xffff) {
      at++;
      surplus--;
    }
  }
  return surplus >= 0;
}
