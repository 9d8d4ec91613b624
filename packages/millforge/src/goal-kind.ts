import type { GoalKind } from '@millforge/cli';
import type { GoalSummary } from '@millforge/kernel';

/** Tells what a goal is by the labels that it was admitted with. */
export function goalKindOf({ labels }: Pick<GoalSummary, 'labels'>): GoalKind {
  // First, because the contract of a development may bring labels of its own.
  if (labels['profile'] === 'develop') return 'development';
  return labels['kind'] === 'review' ? 'review' : 'run';
}
