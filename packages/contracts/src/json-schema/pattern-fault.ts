import {
  MAX_PATTERN_DEPTH,
  MAX_PATTERN_LENGTH,
  MAX_PATTERN_STATES,
  type PatternFault,
} from './compile-pattern.ts';

/** The rest of a sentence that begins with where the pattern stands. */
export function patternFaultText(fault: PatternFault): string {
  switch (fault) {
    case 'length':
      return `must not have more than ${MAX_PATTERN_LENGTH} characters`;
    case 'syntax':
      return 'must be a regular expression in the syntax of JavaScript with the flag u';
    case 'reference':
      return 'must not have back references or word boundaries';
    case 'look-around':
      return 'must not look ahead or behind, nor change flags';
    case 'depth':
      return `must not nest more than ${MAX_PATTERN_DEPTH} groups`;
    case 'escape':
      return 'must have only escapes that stand for characters';
    case 'states':
    default:
      return `must not need more than ${MAX_PATTERN_STATES} states; make its repetitions smaller`;
  }
}
