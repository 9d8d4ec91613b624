import { type Diagnostic, defineDiagnostics } from '@millforge/contracts';
import type { SourceLocation } from './source-document.ts';

/** The rules of the source language that a document can break, one name each. */
export type SourceRule =
  | 'too-large'
  | 'not-utf8'
  | 'unknown-format'
  | 'duplicate-json-key'
  | 'duplicate-yaml-key'
  | 'anchor'
  | 'tag'
  | 'merge-key'
  | 'key-type'
  | 'timestamp'
  | 'several-documents'
  | 'entries'
  | 'depth'
  | 'scalar-size'
  | 'integer-size'
  | 'float-size'
  | 'json-malformed'
  | 'json-trailing'
  | 'flow-malformed'
  | 'non-finite'
  | 'yaml-non-finite'
  | 'control-character'
  | 'surrogate'
  | 'indentation'
  | 'several-lines'
  | 'tab'
  | 'colon'
  | 'empty-key'
  | 'block-indicator'
  | 'empty-block'
  | 'quoted'
  | 'several-colons'
  | 'reserved-character'
  | 'unquoted-rest'
  | 'yaml-malformed'
  | 'json-root'
  | 'yaml-root';

/** The first rule that a document breaks, and where. */
export interface SourceFault {
  readonly rule: SourceRule;
  readonly location: SourceLocation;
  /** Bytes of a document that is too large. */
  readonly sourceSize?: number;
  /** What the reader missed, in one sentence that repeats nothing of the text. */
  readonly detail?: string;
}

/** Makes the one diagnostic of a refused document. */
export function toDiagnostic(fault: SourceFault, logicalPath: string): Diagnostic {
  const { code, message, hint } = RULES[fault.rule];
  const advice = [fault.detail, hint].filter((text) => text !== undefined).join(' ');
  const place = {
    path: '/',
    logicalPath,
    span: fault.location,
    ...(advice === '' ? {} : { hint: advice }),
  };
  if (code === 'tooLarge') {
    return sourceDiagnostics.tooLarge({ ...place, fields: { source_size: fault.sourceSize ?? 0 } });
  }
  return sourceDiagnostics[code]({ ...place, fields: { message } });
}

interface Text {
  readonly message: string;
}

const PARSE = { phase: 'parse', messageOnly: ['message'], message: (text: Text) => text.message };

const sourceDiagnostics = defineDiagnostics('MF-S', {
  tooLarge: {
    code: 'MF-S003',
    name: 'source-too-large',
    phase: 'parse',
    message: () => 'Source document exceeds the maximum size.',
  },
  notUtf8: { code: 'MF-S004', name: 'source-not-utf8', ...PARSE },
  unknownFormat: { code: 'MF-S005', name: 'unknown-source-format', ...PARSE },
  duplicateKey: { code: 'MF-S006', name: 'duplicate-key', ...PARSE },
  anchor: { code: 'MF-S007', name: 'anchor-or-alias', ...PARSE },
  notJsonNative: { code: 'MF-S008', name: 'not-json-native', ...PARSE },
  severalDocuments: { code: 'MF-S009', name: 'several-documents', ...PARSE },
  limit: { code: 'MF-S010', name: 'source-limit', ...PARSE },
  malformed: { code: 'MF-S011', name: 'malformed-source', ...PARSE },
  wrongRoot: { code: 'MF-S012', name: 'source-not-a-mapping', ...PARSE },
});

interface RuleText {
  readonly code: keyof typeof sourceDiagnostics;
  readonly message: string;
  readonly hint?: string;
}

const YAML_MALFORMED = 'Malformed YAML source document.';
const NO_PROPERTIES = 'YAML anchors, aliases, and tags are not supported.';

const RULES: { readonly [Rule in SourceRule]: RuleText } = {
  'too-large': { code: 'tooLarge', message: '', hint: 'Split the document, or shorten its texts.' },
  'not-utf8': {
    code: 'notUtf8',
    message: 'Source document must be strict UTF-8.',
    hint: 'Save the document as UTF-8.',
  },
  'unknown-format': {
    code: 'unknownFormat',
    message: 'Unsupported source format.',
    hint: 'Use `yaml` or `json`.',
  },
  'duplicate-json-key': {
    code: 'duplicateKey',
    message: 'Duplicate object key.',
    hint: 'Remove or rename one of the two entries.',
  },
  'duplicate-yaml-key': {
    code: 'duplicateKey',
    message: 'Duplicate mapping key.',
    hint: 'Remove or rename one of the two entries.',
  },
  anchor: {
    code: 'anchor',
    message: NO_PROPERTIES,
    hint: 'Write the value out where it is needed; quote text that begins with & or *.',
  },
  tag: {
    code: 'notJsonNative',
    message: NO_PROPERTIES,
    hint: 'Remove the tag; quote text that begins with !.',
  },
  'merge-key': {
    code: 'notJsonNative',
    message: 'YAML merge keys are not supported.',
    hint: 'Write the entries out where they are needed.',
  },
  'key-type': {
    code: 'notJsonNative',
    message: 'YAML mapping keys must be strings.',
    hint: 'Put the key in quotes.',
  },
  timestamp: {
    code: 'notJsonNative',
    message: 'YAML timestamps are not supported.',
    hint: 'Put the value in quotes.',
  },
  'several-documents': {
    code: 'severalDocuments',
    message: 'YAML source must contain exactly one document.',
    hint: 'Keep one document, and no --- or ... after its first line.',
  },
  entries: { code: 'limit', message: 'Total mapping/list entries exceed parser limit.' },
  depth: { code: 'limit', message: 'Nesting depth exceeds parser limit.' },
  'scalar-size': { code: 'limit', message: 'Scalar exceeds parser UTF-8 size limit.' },
  'integer-size': { code: 'limit', message: 'Integer lexeme exceeds parser limit.' },
  'float-size': { code: 'limit', message: 'Floating-point lexeme exceeds parser limit.' },
  'json-malformed': { code: 'malformed', message: 'Malformed JSON source document.' },
  'json-trailing': {
    code: 'malformed',
    message: 'JSON source document has trailing non-whitespace content.',
    hint: 'Remove what follows the closing brace.',
  },
  'flow-malformed': {
    code: 'malformed',
    message: 'Malformed JSON source document.',
    hint: 'Inside [ ] and { } write JSON: every text in double quotes, no comments, no comma at the end.',
  },
  'non-finite': { code: 'malformed', message: 'Non-finite number is not allowed.' },
  'yaml-non-finite': {
    code: 'malformed',
    message: 'Non-finite YAML numbers are not allowed.',
    hint: 'Quote the value if it is meant as text.',
  },
  'control-character': {
    code: 'malformed',
    message: 'Source document contains a forbidden control character.',
    hint: 'Remove the character; of the control characters only tabs and line ends are allowed.',
  },
  surrogate: {
    code: 'malformed',
    message: 'Source document contains an unpaired Unicode surrogate.',
  },
  indentation: { code: 'malformed', message: 'Malformed YAML indentation.' },
  'several-lines': {
    code: 'malformed',
    message: 'Malformed YAML indentation.',
    hint: 'Start a text of several lines with | and indent its lines.',
  },
  tab: {
    code: 'malformed',
    message: 'YAML tabs are not accepted for indentation.',
    hint: 'Indent with spaces.',
  },
  colon: {
    code: 'malformed',
    message: 'YAML mapping entries must contain a colon.',
    hint: 'Write `key: value`, with a space after the colon.',
  },
  'empty-key': { code: 'malformed', message: 'YAML mapping key must be non-empty.' },
  'block-indicator': {
    code: 'malformed',
    message: 'Unsupported YAML block scalar indicator.',
    hint: 'Use | alone: it keeps the lines as they are and ends the text with one line end.',
  },
  'empty-block': {
    code: 'malformed',
    message: 'YAML block scalar must contain indented content.',
    hint: 'Indent the text below the |, or write "" for an empty text.',
  },
  quoted: {
    code: 'malformed',
    message: 'Malformed YAML quoted scalar.',
    hint: 'Close the quote on the same line; in double quotes the escapes are those of JSON.',
  },
  'several-colons': {
    code: 'malformed',
    message: YAML_MALFORMED,
    hint: 'Quote a text that holds a colon and a space; begin a nested mapping on its own line.',
  },
  'reserved-character': {
    code: 'malformed',
    message: YAML_MALFORMED,
    hint: 'Quote the text: YAML reserves the character that it begins with.',
  },
  'unquoted-rest': {
    code: 'malformed',
    message: YAML_MALFORMED,
    hint: 'Remove what follows the closing quote or bracket, or quote the whole text.',
  },
  'yaml-malformed': { code: 'malformed', message: YAML_MALFORMED },
  'json-root': { code: 'wrongRoot', message: 'Top-level source document must be an object.' },
  'yaml-root': {
    code: 'wrongRoot',
    message: 'Top-level YAML source document must be an object.',
  },
};
