import { manualClock, operationLogConformance, sequentialIds } from '@millforge/contracts/testing';
import { memoryOperationLog } from '@millforge/runtime';
import { test } from 'vitest';

operationLogConformance({
  test,
  createLog({ deadlineMs }) {
    const clock = manualClock();
    let controller = new AbortController();
    const log = memoryOperationLog({
      clock,
      ids: sequentialIds(),
      signal: controller.signal,
      ...(deadlineMs === undefined ? {} : { deadlineMs }),
    });
    return {
      log,
      stop: () => controller.abort(),
      resume() {
        controller = new AbortController();
        return log.resume({ signal: controller.signal });
      },
      advance: (ms) => clock.advance(ms),
      close: () => {},
    };
  },
});
