import type { GoalSummary } from '@millforge/kernel';

/** What a goal of a data directory is: it says which command goes on with it. */
export type GoalKind = 'run' | 'review' | 'development';

/** Tells what a goal is by the labels that it was admitted with. */
export function goalKindOf({ labels }: Pick<GoalSummary, 'labels'>): GoalKind {
  // First, because the contract of a development may bring labels of its own.
  if (labels['profile'] === 'develop') return 'development';
  return labels['kind'] === 'review' ? 'review' : 'run';
}
