import {
  type Operation,
  operationHeld,
  operationUncertain,
  type Reconciliation,
} from '@millforge/contracts';
import type { TaskContext, WorkAdapter } from '@millforge/kernel';

const HARNESS = {
  kind: 'model',
  name: 'harness',
  version: '1',
  parameters: { plan: 'one' },
} as const;

/** What the host does besides: the moments at which its process was left, and the acts that it performs. */
export interface OlderHost {
  /** Called in the middle of the goal `suspended`. */
  pause(context: TaskContext): Promise<void>;
  /** Called in the act of the goal `crashed`, after the effect. */
  crash(): Promise<void>;
  /** Told of every act. */
  act(goalId: string, key: string): void;
}

/** The program of these goals, the same in every version of the store. */
export function olderAdapter(host: OlderHost): WorkAdapter {
  return { ...HARNESS, run: (context) => runOlder(context, host) };
}

async function runOlder(context: TaskContext, host: OlderHost) {
  const { goalId } = context;
  const perform = (operation: Operation, then?: () => Promise<void>) =>
    context.perform(operation, async () => {
      host.act(goalId, operation.key);
      await then?.();
      return { value: { did: operation.key }, usage: { input_tokens: 3 } };
    });
  await perform(operationOf('model/1', { effect: 'none', metered: true }));
  context.log({ key: 'note/1', step: 1, type: 'reply-repaired', data: { quotes: 2 } });
  await perform(operationOf('tool/1/0', {}));
  switch (goalId) {
    case 'failed':
      throw new Error('It is broken.');
    case 'suspended':
      await host.pause(context);
      break;
    case 'held':
    case 'cancelled':
      await perform(operationOf('tool/1/1', UNSAFE), async () => {
        throw operationUncertain({ code: 'lost', message: 'No answer came.' });
      });
      break;
    case 'asked':
      await perform(operationOf('ask/1', {}), async () => {
        throw operationHeld({
          code: 'approval-required',
          message: 'May it be sent?',
          data: { for: 'tool/1/1', expires_after_seconds: 3600 },
        });
      });
      break;
    case 'crashed':
      await perform(operationOf('tool/1/1', { ...UNSAFE, ...LOOKING }), () => host.crash());
      break;
  }
  await perform(operationOf('tool/2/0', UNSAFE));
  await context.saveArtifact(Buffer.from('a patch'), { mediaType: 'text/x-patch', maxBytes: 99 });
  return {
    kind: 'run_outcome',
    schema_version: '1.0',
    status: 'success',
    terminal_result: 'TASK_DONE',
  };
}

const UNSAFE = { effect: 'external', repeat: 'unsafe' } as const;
const LOOKING = {
  before: async () => ({ absent: true }),
  reconcile: async (): Promise<Reconciliation> => ({
    kind: 'happened',
    value: { did: 'tool/1/1' },
    evidence: { found: true },
  }),
};

function operationOf(key: string, more: Partial<Operation>): Operation {
  return {
    key,
    step: Number(key.split('/')[1]),
    kind: key.startsWith('model') ? 'model' : 'tool',
    effect: 'read',
    repeat: 'safe',
    metered: false,
    input: { path: key },
    describe: `call ${key}`,
    ...more,
  };
}
