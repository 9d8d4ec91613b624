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
  const found = new Map<string, string>();
  for (const key of unknown) {
    const fold = foldName(key);
    if (fold === '' || key.length > MAX_KEY) continue;
    const meant = properties.filter((name) => !present.has(name) && foldName(name) === fold);
    const rivals = unknown.filter((other) => foldName(other) === fold);
    const [only] = meant;
    if (only !== undefined && meant.length === 1 && rivals.length === 1) found.set(key, only);
  }
  return found;
}

const NOTHING: ReadonlyMap<string, string> = new Map();
/** Folding cuts longer keys. */
const MAX_KEY = 128;
