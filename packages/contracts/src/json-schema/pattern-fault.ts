import {
  MAX_PATTERN_DEPTH,
  MAX_PATTERN_LENGTH,
  MAX_PATTERN_STATES,
  type PatternFault,
} from './compile-pattern.ts';

/** The rest of a sentence that begins with where the pattern stands. */
export function patternFaultText(fault: PatternFault): string {
  return TEXTS[fault];
}

const TEXTS: { readonly [Fault in PatternFault]: string } = {
  length: `must not have more than ${MAX_PATTERN_LENGTH} characters`,
  syntax: 'must be a regular expression in the syntax of JavaScript with the flag u',
  reference: 'must not have back references or word boundaries',
  'look-around': 'must not look ahead or behind, nor change flags',
  depth: `must not nest more than ${MAX_PATTERN_DEPTH} groups`,
  escape: 'must have only escapes that stand for characters',
  states: `must not need more than ${MAX_PATTERN_STATES} states; make its repetitions smaller`,
};
