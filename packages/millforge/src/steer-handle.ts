import type { SteeringQueue } from '@millforge/runtime';
import type { RunHandle } from './run-handle.ts';

/** The part of a handle by which people speak to a run, as long as it goes on. */
export function steerHandle(
  steering: SteeringQueue,
  result: Promise<unknown>,
): Pick<RunHandle, 'send' | 'requestStop'> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  result.then(end, end);
  return {
    send(message) {
      if (!isOver) steering.send(message);
      return !isOver;
    },
    requestStop(reason) {
      if (!isOver) steering.requestStop(reason);
      return !isOver;
    },
  };
}
