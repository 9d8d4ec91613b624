import { type ExactJson, readJson } from '@millforge/contracts';
import type { SourceRule } from '../diagnostics.ts';
import { jsonRule } from '../json/json-rule.ts';
import type { SourceLimits } from '../source-limits.ts';

/** A scalar's value, or the rule that it breaks. */
export type ResolvedScalar<Value = ExactJson> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly rule: SourceRule };

/** Gives a plain scalar its meaning: null, boolean, number, or the text itself. */
export function resolvePlain(text: string, limits: SourceLimits): ResolvedScalar {
  if (SURELY_TEXT.test(text)) return admitText(text, limits);
  if (text === 'null' || text === '~') return { ok: true, value: null };
  if (text === 'true' || text === 'false') return { ok: true, value: text === 'true' };
  if (NON_FINITE.has(text.toLowerCase())) return { ok: false, rule: 'yaml-non-finite' };
  if (TIMESTAMP.test(text)) return { ok: false, rule: 'timestamp' };
  if (NUMBER.test(text)) return resolveJson(text, limits);
  return admitText(text, limits);
}

/** Reads a double-quoted scalar, whose escapes are those of JSON. */
export function resolveDoubleQuoted(token: string, limits: SourceLimits): ResolvedScalar<string> {
  const read = resolveJson(token, limits);
  if (read.ok) {
    return typeof read.value === 'string'
      ? { ok: true, value: read.value }
      : { ok: false, rule: 'quoted' };
  }
  return { ok: false, rule: read.rule === 'json-malformed' ? 'quoted' : read.rule };
}

/** Reads a single-quoted scalar, in which two quotes stand for one. */
export function resolveSingleQuoted(token: string, limits: SourceLimits): ResolvedScalar<string> {
  return admitText(token.slice(1, -1).replaceAll("''", "'"), limits);
}

/** Reads a plain key; what YAML would read as something else than a text must be quoted. */
export function resolvePlainKey(text: string, limits: SourceLimits): ResolvedScalar<string> {
  if (SURELY_TEXT.test(text)) return admitText(text, limits);
  if (text === '') return { ok: false, rule: 'empty-key' };
  if (text === '<<') return { ok: false, rule: 'merge-key' };
  if (NOT_A_STRING.has(text) || NUMBER.test(text) || /^[[{?]/.test(text)) {
    return { ok: false, rule: 'key-type' };
  }
  return admitText(text, limits);
}

/** Lets a text through that keeps to the size of a scalar. */
export function admitText(text: string, limits: SourceLimits): ResolvedScalar<string> {
  const limit = limits.maxScalarBytes;
  const fits =
    text.length * 3 <= limit ||
    (text.length <= limit && new TextEncoder().encode(text).byteLength <= limit);
  return fits ? { ok: true, value: text } : { ok: false, rule: 'scalar-size' };
}

function resolveJson(token: string, limits: SourceLimits): ResolvedScalar {
  const read = readJson(token, {
    maxStringBytes: limits.maxScalarBytes,
    maxNumberChars: limits.maxNumberChars,
  });
  return read.ok ? read : { ok: false, rule: jsonRule(read, token) };
}

/** Cheap first look: no word of the rules begins like this. */
const SURELY_TEXT = /^[A-HJ-MO-Za-eghj-mo-su-z_]/;
const NON_FINITE = new Set(['.nan', '.inf', '+.inf', '-.inf', 'nan', 'inf', '+inf', '-inf']);
const NOT_A_STRING = new Set(['null', 'true', 'false']);
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const TIMESTAMP = /^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:$|[Tt ])/;
