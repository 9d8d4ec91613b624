import { type ExactJson, JsonFloat } from '../json/json-value.ts';
import { isPlainObject, setOwn } from '../json/plain-object.ts';
import { compileExplainer, type Validator } from './compile-explainer.ts';
import { ANNOTATIONS, type JsonSchema, type SchemaAnnotations } from './schema.ts';
import { child, fault, type RawNode, type Read } from './schema-fault.ts';
import type { Visit } from './schema-visit.ts';

/**
 * Reads the words beside a schema: well-formed texts, and values that the schema accepts; null where there are none.
 *
 * An unfit word is a fault, or is left out where the visit says so.
 */
export function readAnnotations(
  node: RawNode,
  schema: JsonSchema,
  visit: Visit,
): Read<SchemaAnnotations | null> {
  if (!ANNOTATIONS.some((word) => node[word] !== undefined)) return { ok: true, value: null };
  const words: { -readonly [Key in keyof SchemaAnnotations]: SchemaAnnotations[Key] } = {};
  const { dropsUnfit, left } = visit.shared;
  let validate: Validator | null = null;
  const accept = (value: ExactJson | undefined): string | null => {
    if (value === undefined) return 'must be JSON with well-formed texts and safe integers';
    validate ??= compileExplainer(schema);
    const violation = validate(value);
    return violation === null ? null : `must match its schema: ${violation.message}`;
  };
  for (const keyword of ['title', 'description'] as const) {
    const text = node[keyword];
    if (text === undefined) continue;
    if (typeof text === 'string' && isWellFormed(text) && spendWords(left, text.length)) {
      words[keyword] = text;
    } else if (!dropsUnfit) {
      return fault(child(visit.path, keyword), 'must be well-formed text within 65,536 bytes');
    }
  }
  if (node['default'] !== undefined) {
    const value = copyJson(node['default'], left, 1);
    const reason = accept(value);
    if (reason === null && value !== undefined) words.default = value;
    else if (!dropsUnfit) return fault(child(visit.path, 'default'), reason ?? '');
  }
  const examples = node['examples'];
  if (examples === undefined) return { ok: true, value: words };
  if (!Array.isArray(examples)) {
    if (dropsUnfit) return { ok: true, value: words };
    return fault(child(visit.path, 'examples'), 'must be a list of values');
  }
  const kept: ExactJson[] = [];
  for (const [index, example] of examples.entries()) {
    const value = copyJson(example, left, 1);
    const reason = accept(value);
    if (reason === null && value !== undefined) kept.push(value);
    else if (!dropsUnfit) {
      return fault(child(child(visit.path, 'examples'), String(index)), reason ?? '');
    }
  }
  return { ok: true, value: kept.length === 0 ? words : { ...words, examples: kept } };
}

/** A copy of a JSON value, or undefined if it is none or takes more than is left. */
function copyJson(value: unknown, left: Left, depth: number): ExactJson | undefined {
  if (depth > MAX_DEPTH || !spendWords(left, typeof value === 'string' ? value.length : 1)) {
    return undefined;
  }
  if (typeof value === 'string') return isWellFormed(value) ? value : undefined;
  if (typeof value === 'number') {
    // What JavaScript cannot hold exactly would not come back from JSON text as the same number.
    return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
      ? value
      : undefined;
  }
  if (value === null || typeof value === 'boolean') return value;
  if (value instanceof JsonFloat) return Number.isFinite(value.value) ? value : undefined;
  if (Array.isArray(value)) {
    const items: ExactJson[] = [];
    for (const item of value) {
      const copied = copyJson(item, left, depth + 1);
      if (copied === undefined) return undefined;
      items.push(copied);
    }
    return items;
  }
  if (!isPlainObject(value)) return undefined;
  const entries: { [key: string]: ExactJson } = {};
  for (const key of Object.keys(value)) {
    const copied = copyJson(value[key], left, depth + 1);
    if (copied === undefined || !isWellFormed(key) || !spendWords(left, key.length))
      return undefined;
    setOwn(entries, key, copied);
  }
  return entries;
}

type Left = Visit['shared']['left'];

/** Whether the words may still grow by this many characters; a word that does not fit costs nothing. */
function spendWords(left: Left, count: number): boolean {
  if (count > left.words) return false;
  left.words -= count;
  return true;
}

function isWellFormed(text: string): boolean {
  return !LONE_SURROGATE.test(text);
}

const MAX_DEPTH = 32;
/** With the flag `u` a paired surrogate is one character and does not match. */
const LONE_SURROGATE = /[\ud800-\udfff]/u;
