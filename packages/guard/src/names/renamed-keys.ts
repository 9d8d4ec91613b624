import { byKey } from './by-key.ts';
import { foldName } from './fold-name.ts';

/**
 * The properties that unknown keys stand for: same letters, other case or separators, and nothing else in
 * the way. A key that could stand for two, or two that could stand for one, stand for none.
 */
export function renamedKeys(
  written: readonly string[],
  properties: readonly string[],
): ReadonlyMap<string, string> {
  const known = new Set(properties);
  const unknown = written.filter((key) => !known.has(key));
  if (unknown.length === 0 || unknown.length > properties.length) return NOTHING;
  const present = new Set(written);
  const meant = byKey(
    properties.filter((name) => !present.has(name)),
    foldName,
  );
  const found = new Map<string, string>();
  for (const [fold, key] of byKey(unknown, foldName)) {
    const name = meant.get(fold);
    // Folding cuts longer keys.
    if (key !== null && name && key.length <= MAX_KEY) found.set(key, name);
  }
  return found;
}

const NOTHING: ReadonlyMap<string, string> = new Map();
const MAX_KEY = 128;
