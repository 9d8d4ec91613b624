import { editDistance } from './edit-distance.ts';
import { foldName } from './fold-name.ts';

/** Sorts names by their distance from a wrong one; equal distances keep the order given. */
export function nearestNames(wrong: string, names: readonly string[]): readonly string[] {
  const target = foldName(wrong);
  return names
    .map((name) => ({ name, distance: editDistance(target, foldName(name)) }))
    .toSorted((a, b) => a.distance - b.distance)
    .map(({ name }) => name);
}
