import { join } from 'node:path';
import { MillforgeError, type OperationLog } from '@millforge/contracts';
import { manualClock, operationLogConformance, sequentialIds } from '@millforge/contracts/testing';
import { type GoalRun, openKernel } from '@millforge/kernel';
import { test } from 'vitest';
import { adapter, contract, outcome, scope, temporaryDirectory } from './fixture.ts';

operationLogConformance({
  test,
  async createLog({ deadlineMs }) {
    const clock = manualClock();
    const kernel = await openKernel({
      path: join(temporaryDirectory(), 'trail.db'),
      clock,
      ids: sequentialIds(),
    });
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
  },
});
