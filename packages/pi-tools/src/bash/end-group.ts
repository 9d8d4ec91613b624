import type { Clock } from '@millforge/contracts';
import { isGroupAlive } from './process-table.ts';

/** Ends a process group: asks first, then forces. Resolves to whether it was seen to be gone. */
export async function endGroup(group: number, clock: Clock): Promise<boolean> {
  signalGroup(group, 'SIGTERM');
  if (await isGoneWithin(group, clock, ASK_MS)) return true;
  signalGroup(group, 'SIGKILL');
  return isGoneWithin(group, clock, FORCE_MS);
}

/** Forces a process group to end, without waiting. */
export function signalGroup(group: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(-group, signal);
  } catch {
    // Nobody is left to be told.
  }
}

async function isGoneWithin(group: number, clock: Clock, ms: number): Promise<boolean> {
  const end = clock.monotonicMs() + ms;
  for (let wait = 5; await isGroupAlive(group); wait = Math.min(100, wait * 2)) {
    if (clock.monotonicMs() >= end) return false;
    await clock.delay(wait);
  }
  return true;
}

const ASK_MS = 2000;
const FORCE_MS = 5000;
