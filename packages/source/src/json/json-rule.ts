import type { readJson } from '@millforge/contracts';
import type { SourceRule } from '../diagnostics.ts';
import type { OffsetFault } from '../located-value.ts';

/** A refusal of the JSON reader. */
export type JsonFault = Extract<ReturnType<typeof readJson>, { ok: false }>;

/** Turns a refusal of the JSON reader into a fault of the document that holds the text. */
export function jsonFault(read: JsonFault, text: string, base: number): OffsetFault {
  const fault = { ok: false as const, rule: jsonRule(read, text), offset: base + read.offset };
  return read.reason === 'malformed' ? { ...fault, detail: read.message } : fault;
}

/** Names the rule of the source language that a refusal of the JSON reader stands for. */
export function jsonRule(fault: JsonFault, text: string): SourceRule {
  if (fault.reason !== 'number-size') return RULES[fault.reason];
  return isFloatAt(text, fault.offset) ? 'float-size' : 'integer-size';
}

function isFloatAt(text: string, offset: number): boolean {
  INTEGER.lastIndex = offset;
  const integer = INTEGER.exec(text);
  const next = text[offset + (integer?.[0].length ?? 0)];
  return next === '.' || next === 'e' || next === 'E';
}

const INTEGER = /-?[0-9]+/y;
const RULES: { readonly [Reason in Exclude<JsonFault['reason'], 'number-size'>]: SourceRule } = {
  malformed: 'json-malformed',
  trailing: 'json-trailing',
  'duplicate-key': 'duplicate-json-key',
  'non-finite': 'non-finite',
  'control-character': 'control-character',
  'lone-surrogate': 'surrogate',
  depth: 'depth',
  entries: 'entries',
  'string-size': 'scalar-size',
};
