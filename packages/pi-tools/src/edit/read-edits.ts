import type { JsonObject, JsonValue } from '@millforge/contracts';
import type { Edit } from './match-edits.ts';

/**
 * Reads the replacements that a model asked for; null when there is none, or when one is no pair of texts.
 *
 * Models give them as an array, as the text of one, and as one pair beside the path. With `forgives`
 * one object stands for an array of one, too. Keys that mean nothing are passed over.
 */
export function readEdits(
  input: JsonObject,
  { forgives }: { readonly forgives: boolean },
): readonly Edit[] | null {
  const listed = listOf(input['edits'], forgives);
  const isPair = typeof input['oldText'] === 'string' && typeof input['newText'] === 'string';
  const given = isPair ? [...(listed ?? []), input] : listed;
  if (given === null || given.length === 0) return null;
  const edits: Edit[] = [];
  for (const item of given) {
    const edit = editOf(item);
    if (edit === null) return null;
    edits.push(edit);
  }
  return edits;
}

function listOf(value: JsonValue | undefined, forgives: boolean): readonly JsonValue[] | null {
  const given = typeof value === 'string' ? parsed(value) : value;
  if (Array.isArray(given)) return given;
  return forgives && typeof given === 'object' && given !== null ? [given] : null;
}

function parsed(text: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch {
    // Text that is no JSON is no list; the caller says what was expected.
    return undefined;
  }
}

function editOf(value: JsonValue): Edit | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const { oldText, newText } = Object(value);
  return typeof oldText === 'string' && typeof newText === 'string' ? { oldText, newText } : null;
}
