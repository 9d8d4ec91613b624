import { type ExactJson, readJson } from '@millforge/contracts';
import { notePlace, type OffsetFault, type Places } from '../located-value.ts';
import type { SourceLimits } from '../source-limits.ts';
import { jsonFault } from './json-rule.ts';

/** What a flow collection shares with the document around it. */
export interface FlowContext {
  /** What is left of the limits inside the collection. */
  readonly limits: SourceLimits;
  /** Receives the offsets of the entries. */
  readonly places?: Places;
  /** Is called once for every entry. */
  readonly onEntry?: () => void;
}

/** Reads a flow collection of a YAML document, whose content is JSON, at its offset in the text. */
export function readFlow(
  text: string,
  base: number,
  context: FlowContext,
): { readonly ok: true; readonly value: ExactJson } | OffsetFault {
  const { limits, places, onEntry } = context;
  const read = readJson(text, {
    maxDepth: limits.maxDepth,
    maxEntries: limits.maxEntries,
    maxStringBytes: limits.maxScalarBytes,
    maxNumberChars: limits.maxNumberChars,
    onEntry(container, key, offset) {
      onEntry?.();
      if (places !== undefined) notePlace(places, [container, key], base + offset);
    },
  });
  if (read.ok) return read;
  const fault = jsonFault(read, text, base);
  const isSyntax = fault.rule === 'json-malformed' || fault.rule === 'json-trailing';
  return isSyntax ? { ...fault, rule: 'flow-malformed' } : fault;
}
