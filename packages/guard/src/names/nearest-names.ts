import { editDistance } from './edit-distance.ts';
import { foldName } from './fold-name.ts';

/**
 * Sorts names by their distance from a wrong one; equal distances keep the order given, and so do those that
 * have nothing in common with it. A reply may bring many wrong names, each to be compared with many tools.
 */
export function nearestNames(wrong: string, names: readonly string[]): readonly string[] {
  const target = foldName(wrong);
  return names
    .map((name) => ({ name, distance: editDistance(target, foldName(name), FAR) }))
    .toSorted((a, b) => a.distance - b.distance)
    .map(({ name }) => name);
}

const FAR = 12;
