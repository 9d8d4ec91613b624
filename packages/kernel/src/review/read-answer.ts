import { type JsonValue, readJson, toPlainJson } from '@millforge/contracts';

/** What a model answered, or one sentence about what is wrong with it. */
export type ReadAnswer =
  | {
      readonly ok: true;
      readonly findings: readonly JsonValue[];
      /** Files that it says it did not look at. */
      readonly skipped: readonly string[];
    }
  | { readonly ok: false; readonly problem: string };

/** Reads an answer as the object that was asked for; words around it are passed over, nothing is mended. */
export function readAnswer(content: string | null): ReadAnswer {
  const text = content?.trim() ?? '';
  if (text === '') return { ok: false, problem: 'the answer was empty' };
  const object = candidates(text)
    .map((candidate) => objectOf(candidate))
    .find((value) => value !== null);
  if (object === undefined || object === null) {
    return { ok: false, problem: 'the answer was not one JSON object' };
  }
  const findings = object.get('findings');
  if (!isList(findings)) return { ok: false, problem: 'the object has no list "findings"' };
  const skipped = object.get('skipped') ?? [];
  if (!isList(skipped) || !skipped.every((one) => typeof one === 'string')) {
    return { ok: false, problem: '"skipped" is no list of paths' };
  }
  return { ok: true, findings, skipped };
}

/** Where the object may stand: the whole answer, the only fenced block, or from the first to the last brace. */
function candidates(text: string): readonly string[] {
  const blocks = [...text.matchAll(/```(?:json)?[ \t]*\n([\s\S]*?)\n```/g)];
  const [only] = blocks;
  const [first, last] = [text.indexOf('{'), text.lastIndexOf('}')];
  return [
    text,
    ...(blocks.length === 1 && only?.[1] !== undefined ? [only[1]] : []),
    ...(first >= 0 && last > first ? [text.slice(first, last + 1)] : []),
  ];
}

function objectOf(text: string): ReadonlyMap<string, JsonValue> | null {
  const read = readJson(text, { maxDepth: 32, maxEntries: 20_000, allowControlCharacters: true });
  if (!read.ok) return null;
  const value = toPlainJson(read.value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return new Map(Object.entries(value));
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
