import type { Clock, Ids } from '@millforge/contracts';
import { ALL_PERMISSIONS, type GoalView, openKernel, type WorkAdapter } from '@millforge/kernel';

const binding = { kind: 'model', name: 'letters', version: '1', parameters: null } as const;
const letter = { key: 'tool/1/0', step: 1, kind: 'tool', effect: 'external' } as const;
const letters = (send: (key: string) => Promise<string>): WorkAdapter => ({
  ...binding,
  async run(context) {
    const sent = await context.perform(
      {
        ...letter,
        metered: false,
        repeat: 'unsafe', // A kill in the middle holds the goal: a person looks, then decides.
        input: context.inputs,
        describe: 'send the letter to Bob',
      },
      async ({ idempotencyKey }) => ({ value: await send(idempotencyKey) }),
    );
    return sent.kind;
  },
});

export async function sendLetter(
  data: string,
  parts: { clock: Clock; ids: Ids; send: (key: string) => Promise<string> },
): Promise<GoalView> {
  await using kernel = await openKernel({ path: `${data}/trail.db`, ...parts });
  const who = { tenant: 'local', resource: 'letters', actor: 'ann@host' };
  const scope = { ...who, permissions: ALL_PERMISSIONS };
  await kernel.admitGoal(scope, {
    kind: 'goal_contract',
    schema_version: '1.0',
    goal_id: 'letter-7',
    unchecked: true,
    objective: 'Send the letter.',
    inputs: { text: 'Dear Bob' },
    tasks: [{ task_id: 'send', adapter: binding, doubt: 'operation', effect: 'external' }],
  });
  return await kernel.runGoal(scope, 'letter-7', { adapters: [letters(parts.send)] }).done;
}
