import type { GuardTool } from '../guard-tool.ts';
import { byKey } from './by-key.ts';
import { foldName } from './fold-name.ts';

/** The tools on offer, found by name in several spellings. */
export interface ToolIndex {
  /** Their names, in order. */
  readonly names: readonly string[];
  /** The tools by their exact names. */
  readonly byName: ReadonlyMap<string, GuardTool>;
  /** Names by what is left without case and separators; null where two are alike. */
  readonly byFold: ReadonlyMap<string, string | null>;
  /** Names by the same of what follows their prefix; null where two are alike. */
  readonly byRest: ReadonlyMap<string, string | null>;
}

/** The index of a list of tools; kept as long as the list is, which must not change. */
export function toolIndex(tools: readonly GuardTool[]): ToolIndex {
  const known = KEPT.get(tools);
  if (known !== undefined) return known;
  const names = tools.map((tool) => tool.name);
  const index = {
    names,
    // Of two tools with one name the first is the one that a search would find.
    byName: new Map(tools.toReversed().map((tool) => [tool.name, tool])),
    byFold: byKey(names, foldName),
    byRest: byKey(names, (name) => foldName(withoutPrefix(name) ?? '')),
  };
  KEPT.set(tools, index);
  return index;
}

/** What follows the last dot, slash, colon or double underscore, as frameworks join servers and tools. */
export function withoutPrefix(name: string): string | null {
  const [, rest] = /^[\w.:/-]*(?:[.:/]|__)([A-Za-z][\w-]*)$/.exec(name.slice(0, 256)) ?? [];
  return rest ?? null;
}

const KEPT = new WeakMap<readonly GuardTool[], ToolIndex>();
