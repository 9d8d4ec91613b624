import { existsSync } from 'node:fs';
import type { Adapter, Kernel } from '@millforge/kernel';
import { createPublications, type Publisher } from '@millforge/kernel/publication';
import { expect, test } from 'vitest';
import { MIGRATIONS } from '../../src/sqlite/embedded-migrations.ts';
import { recordTypes, scope } from '../fixture.ts';
import { openOlder } from './older/open-older.ts';
import { olderAdapter } from './older/program.ts';

const OLDER = MIGRATIONS.slice(0, -1).map(({ name }, place) => ({ name, version: place + 1 }));

/** The goals that a version could have, each where its process left it. */
function goalsOf(version: number): { readonly [goalId: string]: string } {
  return {
    completed: 'completed',
    failed: 'failed',
    cancelled: 'cancelled',
    held: 'held',
    suspended: 'running',
    crashed: 'running',
    ...(version >= 2 ? { asked: 'held', tasks: 'held', brought: 'completed' } : {}),
  };
}

const never = (): Promise<never> => Promise.reject(new Error('It was performed before.'));

/** The same program as then; it notes what it performs. */
function programs(acts: string[]): readonly Adapter[] {
  const binding = { version: '1', parameters: null } as const;
  return [
    olderAdapter({
      pause: async () => undefined,
      crash: never,
      act: (goalId, key) => acts.push(`${goalId} ${key}`),
    }),
    { kind: 'tool', name: 'look', ...binding, run: never },
    { kind: 'tool', name: 'send', ...binding, run: never },
    {
      kind: 'verify',
      name: 'tests',
      ...binding,
      run: async ({ outputs, verdict }) => verdict('pass', { evidence: outputs }),
    },
  ];
}

async function statesIn(kernel: Kernel): Promise<{ readonly [goalId: string]: string }> {
  const goals = await kernel.listGoals(scope);
  return Object.fromEntries(goals.map(({ goal_id, state }) => [goal_id, state]));
}

/** Answers the one open question of a goal. */
async function answer(
  kernel: Kernel,
  goalId: string,
  how: Pick<Parameters<Kernel['decide']>[2], 'decision' | 'outcome'>,
): Promise<void> {
  const { holds } = await kernel.readGoal(scope, goalId);
  const [hold, ...more] = holds.filter(({ state }) => state === 'open');
  expect(more).toEqual([]);
  const named = { holdId: hold?.hold_id ?? '', version: hold?.version ?? 0, reason: 'I looked.' };
  await kernel.decide(scope, goalId, { ...named, ...how });
}

test.each(OLDER)(
  'brings the goals of a store that ended with $name along: they verify, resume and end',
  async ({ version }) => {
    const { kernel, path } = await openOlder(version);
    const goals = goalsOf(version);
    expect(existsSync(`${path}.schema-${version}`)).toBe(true);
    expect(await statesIn(kernel)).toEqual(goals);
    const count = Object.keys(goals).length;
    expect(await kernel.verifyTrail(scope)).toMatchObject({ ok: true, goals: count });
    expect((await kernel.readGoal(scope, 'crashed')).tasks[0]?.state).toBe('interrupted');

    await answer(kernel, 'held', { decision: 'accept', outcome: { did: 'by hand' } });
    if (version >= 2) {
      await answer(kernel, 'asked', { decision: 'approve' });
      await answer(kernel, 'tasks', { decision: 'accept', outcome: { did: 'by hand' } });
    }
    const acts: string[] = [];
    const adapters = programs(acts);
    const open = Object.keys(goals).filter((id) => ['running', 'held'].includes(goals[id] ?? ''));
    for (const goalId of open) {
      const { state } = await kernel.runGoal(scope, goalId, { adapters }).done;
      expect([goalId, state]).toEqual([goalId, 'completed']);
    }
    // Whatever was recorded, found or attested is not performed again.
    const harnesses = open.filter((goalId) => goalId !== 'tasks');
    expect(acts.toSorted()).toEqual(harnesses.map((goalId) => `${goalId} tool/2/0`).toSorted());
    expect(await recordTypes(kernel, 'crashed')).toContain('operation-reconciled');
    expect(await kernel.examine()).toMatchObject({
      intact: true,
      trails: { ok: true, goals: count },
    });
  },
);

/** Takes what it is given and knows of nothing else. */
function receiver(target: string): Publisher {
  return {
    name: 'test',
    target,
    settleMs: null,
    inspect: async () => ({ kind: 'unknown' }),
    publish: async ({ operationId }) => ({ kind: 'acknowledged', operationId }),
  };
}

test('goes on with the publications of a store that ended with 0003-publications, and sends none twice', async () => {
  const { kernel } = await openOlder(3);
  const publications = createPublications(kernel);
  const all = await publications.list(scope, 'completed');
  const states = Object.fromEntries(all.map(({ intent, state }) => [intent.revision, state]));
  expect(states).toEqual(Object.fromEntries(Object.keys(states).map((state) => [state, state])));
  const refused: string[][] = [];
  for (const { intent, publication_id: publicationId } of all) {
    const through = { publisher: receiver(intent.revision), confirmApprover: () => true };
    await publications.dispatch(scope, { goalId: 'completed', publicationId }, through).then(
      () => refused.push([intent.revision, 'sent']),
      ({ code }) => refused.push([intent.revision, code]),
    );
  }
  expect(Object.fromEntries(refused)).toEqual({
    intended: 'kernel/publication-not-allowed',
    // Its time has passed since.
    approved: 'kernel/approval-expired',
    accepted: 'kernel/publication-not-allowed',
    rejected: 'kernel/publication-not-allowed',
    unknown: 'kernel/publication-not-allowed',
    revoked: 'kernel/publication-not-allowed',
    sending: 'kernel/publication-not-allowed',
  });
  const [intended] = all;
  const name = { goalId: 'completed', publicationId: intended?.publication_id ?? '' };
  await publications.approve(scope, name, {
    intentSha256: intended?.intent_sha256 ?? '',
    validForMs: 60_000,
    reason: 'I read it.',
  });
  const through = { publisher: receiver('intended'), confirmApprover: () => true };
  expect(await publications.dispatch(scope, name, through)).toMatchObject({ state: 'accepted' });
  expect(await kernel.verifyTrail(scope)).toMatchObject({ ok: true });
});
