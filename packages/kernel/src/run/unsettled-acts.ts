/** Acts of this process that have begun and not ended: each of them may still have its effect. */
export interface UnsettledActs {
  /** Counts an act in until it has ended, however long that takes. */
  watch(name: string, act: Promise<unknown>): void;
  /** Whether an act of that name goes on. */
  has(name: string): boolean;
  /** Calls back once none is left; at once when there is none. */
  whenNone(then: () => void): void;
}

/** Begins with none. */
export function createUnsettledActs(): UnsettledActs {
  // An act that was given up may go on beside its own repeat.
  const counts = new Map<string, number>();
  let waiting: (() => void)[] = [];
  const end = (name: string): void => {
    const left = (counts.get(name) ?? 1) - 1;
    if (left > 0) counts.set(name, left);
    else counts.delete(name);
    if (counts.size > 0) return;
    const called = waiting;
    waiting = [];
    for (const call of called) call();
  };
  return {
    watch(name, act) {
      counts.set(name, (counts.get(name) ?? 0) + 1);
      const ended = (): void => end(name);
      act.then(ended, ended);
    },
    has: (name) => counts.has(name),
    whenNone(then) {
      if (counts.size === 0) then();
      else waiting.push(then);
    },
  };
}
