import { JsonFloat } from '../json/json-value.ts';
import { compilePattern } from './compile-pattern.ts';
import { patternFaultText } from './pattern-fault.ts';
import {
  type ArraySchema,
  type NumberSchema,
  SCHEMA_FORMATS,
  type SchemaNumber,
  type StringSchema,
} from './schema.ts';
import { child, fault, type RawNode, type Read } from './schema-fault.ts';

/** Reads what a schema of texts asks beyond the type. */
export function readStringRules(
  node: RawNode,
  path: string,
): Read<Pick<StringSchema, 'minLength' | 'maxLength' | 'pattern' | 'format'>> {
  if (!hasAny(node, STRING_RULES)) return { ok: true, value: {} };
  const lengths = readCounts(node, path, { min: 'minLength', max: 'maxLength' });
  if (!lengths.ok) return lengths;
  const { pattern, format: rawFormat } = node;
  if (pattern !== undefined) {
    if (typeof pattern !== 'string') return fault(child(path, 'pattern'), 'must be a text');
    const compiled = compilePattern(pattern);
    if (!compiled.ok) return fault(child(path, 'pattern'), patternFaultText(compiled.fault));
  }
  const format = SCHEMA_FORMATS.find((known) => known === rawFormat);
  if (rawFormat !== undefined && format === undefined) {
    return fault(child(path, 'format'), `must be one of ${SCHEMA_FORMATS.join(', ')}`);
  }
  const { min, max } = lengths.value;
  return {
    ok: true,
    value: {
      ...(min === undefined ? {} : { minLength: min }),
      ...(max === undefined ? {} : { maxLength: max }),
      ...(pattern === undefined ? {} : { pattern }),
      ...(format === undefined ? {} : { format }),
    },
  };
}

/** Reads what a schema of arrays asks beyond its items. */
export function readArrayBounds(
  node: RawNode,
  path: string,
): Read<Pick<ArraySchema, 'minItems' | 'maxItems' | 'uniqueItems'>> {
  const counts = readCounts(node, path, { min: 'minItems', max: 'maxItems' });
  if (!counts.ok) return counts;
  const unique = node['uniqueItems'];
  if (unique !== undefined && typeof unique !== 'boolean') {
    return fault(child(path, 'uniqueItems'), 'must be true or false');
  }
  const { min, max } = counts.value;
  return {
    ok: true,
    value: {
      ...(min === undefined ? {} : { minItems: min }),
      ...(max === undefined ? {} : { maxItems: max }),
      ...(unique === true ? { uniqueItems: true } : {}),
    },
  };
}

/** Reads the bounds of a schema of numbers; some number of the type must lie between them. */
export function readNumberBounds(
  node: RawNode,
  path: string,
  type: 'integer' | 'number',
): Read<Pick<NumberSchema, (typeof NUMBER_BOUNDS)[number]>> {
  if (!hasAny(node, NUMBER_BOUNDS)) return { ok: true, value: {} };
  const bounds: { -readonly [Key in (typeof NUMBER_BOUNDS)[number]]?: SchemaNumber } = {};
  for (const keyword of NUMBER_BOUNDS) {
    const value = node[keyword];
    if (value === undefined) continue;
    if (!isNumber(value)) return fault(child(path, keyword), 'must be a finite number');
    bounds[keyword] = value;
  }
  const least = plain(bounds.minimum, Number.NEGATIVE_INFINITY);
  const most = plain(bounds.maximum, Number.POSITIVE_INFINITY);
  const above = plain(bounds.exclusiveMinimum, Number.NEGATIVE_INFINITY);
  const below = plain(bounds.exclusiveMaximum, Number.POSITIVE_INFINITY);
  let low = Math.max(least, above);
  let high = Math.min(most, below);
  let isOpen = low === above || high === below;
  if (type === 'integer') {
    low = low === above ? Math.floor(low) + 1 : Math.ceil(low);
    high = high === below ? Math.ceil(high) - 1 : Math.floor(high);
    isOpen = false;
  }
  const isEmpty =
    isOpen && Number.isFinite(low) && Number.isFinite(high) ? low >= high : low > high;
  return isEmpty
    ? fault(path, `must leave a value of type ${type} between its bounds`)
    : { ok: true, value: bounds };
}

const STRING_RULES = ['minLength', 'maxLength', 'pattern', 'format'] as const;
const NUMBER_BOUNDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const;

function hasAny(node: RawNode, keywords: readonly string[]): boolean {
  return keywords.some((keyword) => node[keyword] !== undefined);
}

function readCounts(
  node: RawNode,
  path: string,
  keywords: { readonly min: string; readonly max: string },
): Read<{ readonly min: number | undefined; readonly max: number | undefined }> {
  const min = node[keywords.min];
  const max = node[keywords.max];
  if (!isCountOrAbsent(min)) return fault(child(path, keywords.min), COUNT);
  if (!isCountOrAbsent(max)) return fault(child(path, keywords.max), COUNT);
  return min !== undefined && max !== undefined && min > max
    ? fault(child(path, keywords.min), `must not be more than ${keywords.max}`)
    : { ok: true, value: { min, max } };
}

function isCountOrAbsent(value: unknown): value is number | undefined {
  return (
    value === undefined || (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)
  );
}

function isNumber(value: unknown): value is SchemaNumber {
  return Number.isFinite(value instanceof JsonFloat ? value.value : value);
}

function plain(value: SchemaNumber | undefined, absent: number): number {
  if (value === undefined) return absent;
  return typeof value === 'number' ? value : value.value;
}

const COUNT = 'must be an integer of at least 0';
