import type { Clock } from '@millforge/contracts';
import { findCallProcesses, isGroupAlive, type ProcessEntry } from './process-table.ts';

/** The processes of one call. */
export interface CallProcesses {
  readonly group: number;
  readonly idempotencyKey: string;
  readonly clock: Clock;
}

/**
 * Ends all that a call has started: asks first, then forces, also what left the process group.
 * Resolves to whether all of it was seen to be gone.
 */
export async function endProcesses(call: CallProcesses): Promise<boolean> {
  const known = new Map<number, string>();
  const look = async (): Promise<readonly ProcessEntry[] | null> => {
    const found = await findCallProcesses({ ...call, known });
    for (const entry of found ?? []) known.set(entry.pid, entry.startTime);
    return found;
  };
  // Whoever is asked may end and leave its children to others, so they are found before.
  const first = await look();
  signalAll(call.group, first, 'SIGTERM');
  if (await isGoneWithin(call, look, { ms: ASK_MS, signal: null })) return true;
  return isGoneWithin(call, look, { ms: FORCE_MS, signal: 'SIGKILL' });
}

/** Forces a process group to end, and waits. Resolves to whether it was seen to be gone. */
export async function endGroup({ group, clock }: CallProcesses): Promise<boolean> {
  signalGroup(group, 'SIGKILL');
  return isWithin(clock, FORCE_MS, async () => !(await isGroupAlive(group)));
}

/** Forces a process group to end, without waiting. */
export function signalGroup(group: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  // Where a group dies one by one, a shell could start its next command in between.
  if (signal === 'SIGKILL') send(-group, 'SIGSTOP');
  send(-group, signal);
}

async function isGoneWithin(
  call: CallProcesses,
  look: () => Promise<readonly ProcessEntry[] | null>,
  step: { readonly ms: number; readonly signal: 'SIGKILL' | null },
): Promise<boolean> {
  return isWithin(call.clock, step.ms, async () => {
    const found = await look();
    if (found === null ? !(await isGroupAlive(call.group)) : found.length === 0) return true;
    if (step.signal !== null) signalAll(call.group, found, step.signal);
    return false;
  });
}

function signalAll(
  group: number,
  found: readonly ProcessEntry[] | null,
  signal: 'SIGTERM' | 'SIGKILL',
): void {
  signalGroup(group, signal);
  for (const entry of found ?? []) if (entry.group !== group) send(entry.pid, signal);
}

function send(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch {
    // Nobody is left to be told.
  }
}

async function isWithin(clock: Clock, ms: number, holds: () => Promise<boolean>): Promise<boolean> {
  const end = clock.monotonicMs() + ms;
  for (let wait = 5; !(await holds()); wait = Math.min(100, wait * 2)) {
    if (clock.monotonicMs() >= end) return false;
    await clock.delay(wait);
  }
  return true;
}

const ASK_MS = 2000;
const FORCE_MS = 5000;
