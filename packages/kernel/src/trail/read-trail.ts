import type { Clock, TrailRecord } from '@millforge/contracts';
import type { Kernel } from '../kernel.ts';
import type { TrailStore } from '../store/trail-store.ts';

/** Reads a trail by pages, and waits for more where that is asked for. */
export async function* readTrail(
  { trails, clock }: { readonly trails: TrailStore; readonly clock: Clock },
  { tenant, goalId }: { readonly tenant: string; readonly goalId: string },
  options: NonNullable<Parameters<Kernel['readTrail']>[2]>,
): AsyncIterable<TrailRecord> {
  let next = Math.max(1, options.from ?? 1);
  const isAborted = (): boolean => options.signal?.aborted ?? false;
  for (;;) {
    const { records, hasEnded } = await trails.read(tenant, goalId, { from: next, limit: PAGE });
    for (const record of records) {
      if (isAborted()) return;
      next = record.seq + 1;
      yield record;
    }
    if (records.length === PAGE) continue;
    if (options.follow !== true || hasEnded || isAborted()) return;
    await clock.delay(POLL_MS, options.signal).catch(() => undefined);
    if (isAborted()) return;
  }
}

const PAGE = 200;
const POLL_MS = 200;
