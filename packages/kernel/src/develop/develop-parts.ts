import { join } from 'node:path';
import type { ArtifactStore } from '@millforge/contracts';
import type { CheckRunner } from './check-runner.ts';
import type { WorkPhase } from './develop-contract.ts';
import type { PhaseWorker } from './phase-worker.ts';

/** What the adapters of developments work with. */
export interface DevelopParts {
  /** Who performs the phases. */
  readonly workers: Readonly<Record<WorkPhase, PhaseWorker>>;
  /** Runs the commands of criteria. */
  readonly runCheck: CheckRunner;
  /** Directory in which each development has one of its own. */
  readonly directory: string;
  /** Captured files and trees. */
  readonly store: Pick<ArtifactStore, 'open'>;
}

/** The work copy of a development. */
export function candidateOf(
  { directory }: Pick<DevelopParts, 'directory'>,
  goalId: string,
): string {
  return join(homeOf(directory, goalId), 'candidate');
}

/** Where copies for criteria are made, and removed. */
export function copiesOf({ directory }: Pick<DevelopParts, 'directory'>, goalId: string): string {
  return join(homeOf(directory, goalId), 'copies');
}

/** Everything of one development. Its name may hold a colon, which not every tool takes in a path. */
export function homeOf(directory: string, goalId: string): string {
  return join(directory, goalId.replaceAll(':', '_'));
}
