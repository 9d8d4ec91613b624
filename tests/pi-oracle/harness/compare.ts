import type { OracleCase } from './oracle-case.ts';
import type { SideResult } from './run-side.ts';

/** What one side did in one case. */
export interface Observed {
  readonly results: readonly SideResult[];
  /** Contents of the folder afterwards; empty where they are not compared. */
  readonly files: readonly string[];
  /** Folders that differ between the sides, with the words that stand for them. */
  readonly places: readonly (readonly [string, string])[];
}

/** How a side relates to Pi. */
export type Relation = 'equal' | 'normalised' | 'different';

/** Compares what both sides did, first as it is, then without what differs from run to run. */
export function compare(one: OracleCase, pi: Observed, ours: Observed): Relation {
  if (same(asIs(pi), asIs(ours))) return 'equal';
  return same(normal(one, pi), normal(one, ours)) ? 'normalised' : 'different';
}

/** What one side did, without the paths of its folders. */
export function asIs({ results, files, places }: Observed): unknown {
  return {
    files,
    results: results.map(({ isError, text, details }) => ({
      isError,
      text: places.reduce((kept, [path, word]) => kept.replaceAll(path, word), text),
      details,
    })),
  };
}

function normal(one: OracleCase, observed: Observed): unknown {
  const { results } = observed;
  return {
    files: observed.files,
    results: results.map(({ isError, text, details }) => {
      const named = observed.places.reduce(
        (kept, [path, word]) => kept.replaceAll(path, word),
        text,
      );
      const logged = named.replaceAll(/(?:pi|millforge)-bash-[0-9a-f]{16}\.log/g, 'bash.log');
      const counted = logged.replaceAll(/\.{4,}/g, '....');
      const some = one.isAnySet ? counted.replaceAll(/\d+$/gm, '#') : counted;
      return { isError, details, text: one.isUnordered ? sorted(some) : some };
    }),
  };
}

function sorted(text: string): string {
  return text.split('\n').toSorted().join('\n');
}

function same(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
