import type { Ids } from '@millforge/contracts';

/** Gives `run_0001`, `run_0002`, `task_0001` …: the same in every run of a test. */
export function sequentialIds(): Ids {
  const counts = new Map<string, number>();
  return {
    newId(prefix) {
      const count = (counts.get(prefix) ?? 0) + 1;
      counts.set(prefix, count);
      return `${prefix}_${String(count).padStart(4, '0')}`;
    },
  };
}
