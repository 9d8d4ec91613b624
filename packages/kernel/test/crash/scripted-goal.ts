import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonValue, Operation } from '@millforge/contracts';
import { operationRefused } from '@millforge/contracts';
import type { Adapter, GoalContract, TaskContext } from '@millforge/kernel';

/** Name of the one goal. */
export const GOAL = 'crash';

/** Keys of the calls that may happen once only and that nobody can look for. */
export const UNSAFE = ['tool/3/0', 'tool/5/1'];

/** A contract of one harness run. */
export const contract: GoalContract = {
  kind: 'goal_contract',
  schema_version: '1.0',
  goal_id: GOAL,
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

/** Files in which acts and acknowledgements leave their traces, outside of the kernel. */
export interface Traces {
  /** One line per act that was begun: key. */
  readonly acts: string;
  /** One line per effect: key and idempotency key. */
  readonly effects: string;
  /** One line per promise that resolved: key and value. */
  readonly acknowledged: string;
}

export function tracesIn(directory: string): Traces {
  return {
    acts: join(directory, 'acts.txt'),
    effects: join(directory, 'effects.txt'),
    acknowledged: join(directory, 'acknowledged.txt'),
  };
}

export function linesOf(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
}

/** The program: what it does depends on outcomes only; `reach` names moments inside the acts. */
export function script(traces: Traces, reach: (moment: string) => void): Adapter {
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
      appendFileSync(traces.acts, `${operation.key}\n`);
      if (operation.effect === 'write' || operation.effect === 'external') {
        reach('before:effect');
        appendFileSync(traces.effects, `${operation.key} ${idempotencyKey}\n`);
        reach('after:effect');
      }
      return { value: { did: operation.key }, usage: { input_tokens: 1 } };
    });
    if (outcome.kind !== 'done') throw new Error(`${operation.key} came out as ${outcome.kind}`);
    appendFileSync(traces.acknowledged, `${operation.key} ${JSON.stringify(outcome.value)}\n`);
    return outcome.value;
  };
  const happened = (key: string): boolean =>
    linesOf(traces.effects).some((line) => line.startsWith(`${key} `));
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
