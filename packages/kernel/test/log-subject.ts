import { MillforgeError, type OperationLog } from '@millforge/contracts';
import {
  type ManualClock,
  manualClock,
  type OperationLogSubject,
} from '@millforge/contracts/testing';
import type { GoalRun, Kernel } from '@millforge/kernel';
import { adapter, contract, outcome, scope } from './fixture.ts';

/** The log of a task of a kernel, and the hands that stop and resume it. */
export async function logSubject(
  openOn: (clock: ManualClock) => Promise<Kernel>,
  { deadlineMs }: { readonly deadlineMs?: number },
): Promise<OperationLogSubject> {
  const clock = manualClock();
  const kernel = await openOn(clock);
  await kernel.admitGoal(
    scope,
    contract('goal', { task: { timeout_ms: deadlineMs ?? 60_000, effect: 'external' } }),
  );
  let run: GoalRun;
  let end: (() => void) | null = null;
  const begin = (): Promise<OperationLog> =>
    new Promise((resolve, reject) => {
      const program = adapter(async (context) => {
        resolve(context);
        await new Promise<void>((done) => {
          end = done;
          context.signal.addEventListener('abort', () => done());
        });
        return outcome();
      });
      run = kernel.runGoal(scope, 'goal', { adapters: [program] });
      run.done.catch(reject);
    });
  const stop = async (): Promise<void> => {
    run.stop({ now: true });
    end?.();
    await run.done;
  };
  return {
    log: await begin(),
    stop,
    resume: begin,
    advance: (ms) => clock.advance(ms),
    async close() {
      await stop().catch((error: unknown) => {
        if (!MillforgeError.is(error)) throw error;
      });
      await kernel[Symbol.asyncDispose]();
    },
  };
}
