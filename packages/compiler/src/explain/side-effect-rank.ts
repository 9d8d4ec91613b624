import type { SideEffectClass } from '@millforge/contracts';

/** Rank of what a call may do to the world, 0 for nothing. */
export function sideEffectRank(sideEffect: SideEffectClass): number {
  return BY_STRENGTH.indexOf(sideEffect);
}

/** From nothing to what leaves the machine. */
const BY_STRENGTH: readonly SideEffectClass[] = [
  'read_only',
  'terminal',
  'artifact_write',
  'network_read',
  'workspace_write',
  'process_execution',
  'network_write',
];
