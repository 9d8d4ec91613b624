import type { JsonValue, Operation } from '@millforge/contracts';
import { operationRefused } from '@millforge/contracts';
import type { Adapter, GoalContract, TaskContext } from '@millforge/kernel';
import { acknowledge, act, hasHappened, type Scenario, type Traces } from './scenario.ts';

const contract: GoalContract = {
  kind: 'goal_contract',
  schema_version: '1.0',
  goal_id: 'harness',
  objective: 'Six turns, nine calls.',
  required_checks: ['terminal-outcome'],
  legal_terminal_results: ['TASK_DONE'],
  limits: { units: 1 },
  tasks: [
    {
      task_id: 'run',
      adapter: { kind: 'model', name: 'script', version: '1', parameters: null },
      doubt: 'operation',
      effect: 'external',
      units: 1,
    },
  ],
};

/** The program: what it does depends on outcomes only; `reach` names moments inside the acts. */
function script(traces: Traces, reach: (moment: string) => void): Adapter {
  return {
    kind: 'model',
    name: 'script',
    version: '1',
    parameters: null,
    run: (context) => runScript(context, traces, reach),
  };
}

async function runScript(
  context: TaskContext,
  traces: Traces,
  reach: (moment: string) => void,
): Promise<JsonValue> {
  const perform = async (operation: Operation): Promise<JsonValue> => {
    const outcome = await context.perform(operation, async ({ idempotencyKey }) => {
      const { key, effect } = operation;
      const hasEffect = effect === 'write' || effect === 'external';
      return {
        value: act(traces, reach, { key, idempotencyKey, hasEffect }),
        usage: { input_tokens: 1 },
      };
    });
    if (outcome.kind !== 'done') throw new Error(`${operation.key} came out as ${outcome.kind}`);
    acknowledge(traces, operation.key, outcome.value);
    return outcome.value;
  };
  const happened = (key: string): boolean => hasHappened(traces, key);
  const call = (step: number, place: number, more: Partial<Operation>): Promise<JsonValue> =>
    perform({ ...toolCall(step, place), ...more });
  const looking = (key: string): Partial<Operation> => ({
    effect: 'write',
    repeat: 'unsafe',
    before: async () => {
      if (happened(key))
        throw operationRefused({ code: 'conflict', message: 'It is there already.' });
      return { absent: key };
    },
    reconcile: async () =>
      happened(key)
        ? { kind: 'happened', value: { did: key }, evidence: { found: true } }
        : { kind: 'not-happened', evidence: { found: false } },
  });

  await perform(modelTurn(1));
  await Promise.all([call(1, 0, {}), call(1, 1, {})]);
  await perform(modelTurn(2));
  await call(2, 0, looking('tool/2/0'));
  await perform(modelTurn(3));
  context.log({ key: 'note/3', step: 3, type: 'reply-repaired', data: { quotes: 2 } });
  await call(3, 0, { effect: 'external', repeat: 'unsafe' });
  await perform(modelTurn(4));
  await Promise.all([call(4, 0, { effect: 'external', repeat: 'keyed' }), call(4, 1, {})]);
  await perform(modelTurn(5));
  await Promise.all([
    call(5, 0, looking('tool/5/0')),
    call(5, 1, { effect: 'external', repeat: 'unsafe' }),
  ]);
  await context.saveArtifact(Buffer.from('patch'), { mediaType: 'text/plain', maxBytes: 100 });
  await perform(modelTurn(6));
  await call(6, 0, { effect: 'write', repeat: 'safe' });
  return { status: 'success', terminal_result: 'TASK_DONE' };
}

function modelTurn(step: number): Operation {
  return {
    key: `model/${step}`,
    step,
    kind: 'model',
    effect: 'none',
    repeat: 'safe',
    metered: true,
    input: { turn: step },
    describe: `model turn ${step}`,
    ...(step === 1 ? {} : { extends: `model/${step - 1}` }),
  };
}

function toolCall(step: number, place: number): Operation {
  return {
    key: `tool/${step}/${place}`,
    step,
    kind: 'tool',
    effect: 'read',
    repeat: 'safe',
    metered: false,
    input: { step, place },
    describe: `call ${step}/${place}`,
  };
}

/** One harness run. */
export const scriptedGoal: Scenario = {
  name: 'harness',
  contract,
  adapters: (traces, reach) => [script(traces, reach)],
  effects: {
    'tool/2/0': 'once',
    'tool/3/0': 'once',
    'tool/4/0': 'keyed',
    'tool/5/0': 'once',
    'tool/5/1': 'once',
    'tool/6/0': 'any',
  },
  asked: ['tool/3/0', 'tool/5/1'],
  attested: (key) => ({ did: key }),
  failing: [],
};
