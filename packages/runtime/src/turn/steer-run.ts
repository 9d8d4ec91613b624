import { type OperationLog, unreachable } from '@millforge/contracts';
import type { AsJson } from '@millforge/registry';
import { endRefused, type RunEnding } from '../run-ending.ts';
import type { Run } from '../run-state.ts';
import type { SteeringRequest } from '../steering/steering.ts';

/**
 * Lets what people said reach the run before a turn; the ending when they asked it to end.
 *
 * One operation, so that a resumed run hears the same at the same place. It is performed only when there
 * is something to say, or was: for a run that nobody steers there is nothing to wait for.
 */
export function steerRun(run: Run, turn: number): Promise<RunEnding | null> | null {
  const { operations, steering } = run.options;
  const recorded = isRecorded(operations, keyOf(turn));
  const waiting = recorded === true ? null : (steering?.take() ?? null);
  if (waiting === null && recorded !== true && !(recorded === null && steering !== undefined)) {
    return null;
  }
  return hear(run, turn, waiting);
}

async function hear(
  run: Run,
  turn: number,
  waiting: SteeringRequest | null,
): Promise<RunEnding | null> {
  const outcome = await run.options.operations.perform<AsJson<SteeringRequest>>(
    {
      key: keyOf(turn),
      step: turn,
      kind: 'read',
      effect: 'none',
      repeat: 'safe',
      metered: false,
      input: null,
      describe: 'what people say to the run',
    },
    async () => ({ value: recordedRequest(run, waiting) }),
  );
  switch (outcome.kind) {
    case 'done':
      return heed(run, { turn, replayed: outcome.replayed }, outcome.value);
    case 'failed':
      return null;
    case 'refused':
      return endRefused(outcome.reason, 'internal_error');
    default:
      return unreachable(outcome, 'operation outcome');
  }
}

function keyOf(turn: number): string {
  return `steer/${turn}`;
}

/** Null when the log cannot say; then the operation belongs to every turn. */
function isRecorded(operations: OperationLog, key: string): boolean | null {
  return operations.isRecorded?.(key) ?? null;
}

function recordedRequest(run: Run, waiting: SteeringRequest | null): AsJson<SteeringRequest> {
  return {
    messages: (waiting?.messages ?? []).map(run.redact),
    stop: waiting === null || waiting.stop === null ? null : run.redact(waiting.stop),
  };
}

function heed(
  run: Run,
  at: { readonly turn: number; readonly replayed: boolean },
  { messages, stop }: SteeringRequest,
): RunEnding | null {
  if (messages.length === 0 && stop === null) return null;
  for (const message of messages) run.conversation.say(message);
  run.observer.emit({ kind: 'run-steered', ...at, messages, stop });
  if (stop === null) return null;
  return {
    kind: 'failure',
    status: 'cancelled',
    failureClass: 'cancelled',
    message: `The run was asked to end: ${stop}`,
  };
}
