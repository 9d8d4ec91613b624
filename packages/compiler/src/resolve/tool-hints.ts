import { formatToolReference } from '@millforge/contracts';
import { didYouMean, nearestName, quoted } from '../nearest-name.ts';
import { listedTools } from './listed-names.ts';
import type { ToolReference } from './read-bindings.ts';

/** Says what was probably meant by a tool that a catalog does not have; undefined where nothing is near. */
export type ToolHints = (missing: ToolReference) => string | undefined;

/** Prepares hints about missing tools; the catalog is only read when the first one is asked for. */
export function toolHints(catalog: unknown): ToolHints {
  let known: KnownTools | null = null;
  return (missing) => {
    known ??= readKnownTools(catalog);
    const versions = known.versionsOf.get(missing.toolId);
    if (versions !== undefined) return `The catalog has ${quoted(versions)}.`;
    const nearest = known.nearest(missing.toolId);
    if (nearest !== null)
      return didYouMean((known.versionsOf.get(nearest) ?? []).at(-1) ?? nearest);
    return UNKNOWN[known.listing];
  };
}

const UNKNOWN = {
  some: 'No tool of the catalog has such a name: add the tool to the catalog, or name one that it has.',
  empty: 'The catalog has no tools: add the tool to it, or give the catalog that has the tool.',
  none: undefined,
} as const;

interface KnownTools {
  /** References of each tool, by id, oldest version first. */
  readonly versionsOf: ReadonlyMap<string, readonly string[]>;
  readonly nearest: (wrong: string) => string | null;
  /** Whether the catalog says what it has, and whether that is anything. */
  readonly listing: keyof typeof UNKNOWN;
}

function readKnownTools(catalog: unknown): KnownTools {
  const versionsOf = new Map<string, string[]>();
  const given = listedTools(catalog);
  const listed = (given ?? []).toSorted((a, b) => a.toolVersion - b.toolVersion);
  for (const tool of listed) {
    const versions = versionsOf.get(tool.toolId);
    if (versions === undefined) versionsOf.set(tool.toolId, [formatToolReference(tool)]);
    else versions.push(formatToolReference(tool));
  }
  const listing = given === null ? 'none' : given.length === 0 ? 'empty' : 'some';
  return { versionsOf, nearest: nearestName(versionsOf.keys()), listing };
}
