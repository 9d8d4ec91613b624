import type { Clock } from '@millforge/contracts';

/** What a run needs beside what it was asked for. */
export interface RunSurroundings {
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  /** A name that no other run on this host has. */
  readonly newName: () => string;
  /** Takes work that nobody has to wait for before the sandbox is disposed of. */
  readonly later: (work: Promise<void>) => void;
}
