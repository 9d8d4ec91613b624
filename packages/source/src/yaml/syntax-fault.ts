import type { YAMLParseError } from 'yaml';
import type { OffsetFault } from '../located-value.ts';
import { indentOf } from './lines.ts';

/** Names the rule behind the first thing that the YAML library found wrong, or null. */
export function syntaxFault(text: string, errors: readonly YAMLParseError[]): OffsetFault | null {
  let first: YAMLParseError | null = null;
  for (const error of errors) {
    if (TOLERATED.has(error.code)) continue;
    if (first === null || error.pos[0] < first.pos[0]) first = error;
  }
  if (first === null) return null;
  const offset = first.pos[0];
  const indent = indentOf(text, offset);
  if (first.code === 'TAB_AS_INDENT') return { ok: false, rule: 'tab', offset };
  if (text[indent] === '\t') return { ok: false, rule: 'tab', offset: indent };
  return { ok: false, rule: ruleOf(first, text[offset]), offset: indent };
}

function ruleOf(error: YAMLParseError, character: string | undefined): OffsetFault['rule'] {
  if (error.code !== 'MISSING_CHAR') return RULES.get(error.code) ?? 'yaml-malformed';
  if (character === '#') return 'yaml-malformed';
  return character === ' ' || character === '\n' ? 'indentation' : 'colon';
}

const RULES: ReadonlyMap<YAMLParseError['code'], OffsetFault['rule']> = new Map([
  ['BAD_INDENT', 'indentation'],
  ['BLOCK_AS_IMPLICIT_KEY', 'several-colons'],
  ['BAD_SCALAR_START', 'reserved-character'],
  ['RESOURCE_EXHAUSTION', 'depth'],
]);

// A long key is no fault here (JSON allows it), and the escapes of a double-quoted scalar are
// checked where it is read, by the rules of JSON.
const TOLERATED: ReadonlySet<YAMLParseError['code']> = new Set([
  'KEY_OVER_1024_CHARS',
  'BAD_DQ_ESCAPE',
]);
