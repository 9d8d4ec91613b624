import { readJson } from '@millforge/contracts';
import { createPlaces, type FormatResult, isMapping, notePlace } from '../located-value.ts';
import type { SourceLimits } from '../source-limits.ts';
import { jsonFault } from './json-rule.ts';

/** Reads a JSON document whose root is an object. */
export function parseJson(text: string, limits: SourceLimits): FormatResult {
  const places = createPlaces();
  const read = readJson(text, {
    maxDepth: limits.maxDepth,
    maxEntries: limits.maxEntries,
    maxStringBytes: limits.maxScalarBytes,
    maxNumberChars: limits.maxNumberChars,
    onEntry: (container, key, offset) => notePlace(places, [container, key], offset),
  });
  if (!read.ok) return jsonFault(read, text, 0);
  if (!isMapping(read.value)) return { ok: false, rule: 'json-root', offset: text.search(/\S/) };
  return { ok: true, root: read.value, places };
}
