import { Composer, type CST, type Document } from 'yaml';
import { type FormatResult, isMapping, type OffsetFault } from '../located-value.ts';
import type { SourceLimits } from '../source-limits.ts';
import { lexYaml } from './lex-yaml.ts';
import { readNodes } from './read-nodes.ts';
import { syntaxFault } from './syntax-fault.ts';

/** Reads a document of the YAML subset whose root is a mapping. */
export function parseYaml(text: string, limits: SourceLimits): FormatResult {
  const lexed = lexYaml(text, limits);
  if (!lexed.ok) return lexed;
  const document = compose(lexed.tokens);
  if (document === null) return refuse('yaml-root', 0);
  const fault = syntaxFault(text, document.errors);
  if (fault !== null) return fault;
  if (lexed.stoppedAt !== null) return refuse('yaml-malformed', lexed.stoppedAt);
  const root = document.contents;
  if (root === null || root.range[0] === root.range[1]) return refuse('yaml-root', 0);
  const read = readNodes(root, text, limits);
  if (!read.ok) return read;
  if (isMapping(read.value)) return { ok: true, root: read.value, places: read.places };
  return refuse(Array.isArray(read.value) ? 'yaml-root' : 'colon', root.range[0]);
}

// Numbers, booleans and nulls are told apart by the rules of this package alone, and duplicate keys
// by their decoded text, so the library resolves nothing.
function compose(tokens: readonly CST.Token[]): Document.Parsed | null {
  const composer = new Composer({
    schema: 'failsafe',
    uniqueKeys: false,
    merge: false,
    keepSourceTokens: true,
    logLevel: 'silent',
  });
  let first: Document.Parsed | null = null;
  for (const document of composer.compose(tokens)) first ??= document;
  return first;
}

function refuse(rule: OffsetFault['rule'], offset: number): OffsetFault {
  return { ok: false, rule, offset };
}
