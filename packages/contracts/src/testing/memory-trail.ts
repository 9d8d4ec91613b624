import { canonicalJson, deepFreeze, MillforgeError, type TrailSink } from '@millforge/contracts';

/** One decision as it was appended. */
export type TrailEntry = Parameters<TrailSink['append']>[0];

/** A trail that keeps its entries in memory. */
export interface MemoryTrail extends TrailSink {
  /** What was appended, in order, each key once. */
  readonly entries: readonly TrailEntry[];
}

/** Makes an empty trail; it keeps the promise of the port: the same key with other data is refused. */
export function memoryTrail(): MemoryTrail {
  const entries: TrailEntry[] = [];
  const texts = new Map<string, string>();
  return {
    entries,
    append({ key, step, type, data }) {
      const text = canonicalJson({ step, type, data });
      const known = texts.get(key);
      if (known === text) return;
      if (known !== undefined) {
        throw new MillforgeError(
          'operation/diverged',
          `The trail already holds other data under ${key}; a replay must append what was appended first.`,
          { details: { key } },
        );
      }
      texts.set(key, text);
      entries.push(deepFreeze({ key, step, type, data }));
    },
  };
}
