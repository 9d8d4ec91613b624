import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Kernel } from '@millforge/kernel';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { MIGRATIONS } from '../../src/sqlite/embedded-migrations.ts';
import { APPLICATION_ID } from '../../src/sqlite/migrate.ts';
import {
  acting,
  adapter,
  contract,
  gate,
  modelTurn,
  open,
  outcome,
  scope,
  temporaryDirectory,
  toolCall,
} from '../fixture.ts';

const program = adapter(async (context) => {
  await context.perform(modelTurn(1), acting('hi').run);
  context.log({ key: 'note', step: 1, type: 'turn-refused', data: 'Once more.' });
  await context.perform(toolCall('tool/1/0'), acting('read').run);
  return outcome();
});

async function completed(kernel: Kernel, goalId: string): Promise<void> {
  await kernel.admitGoal(scope, contract(goalId));
  const view = await kernel.runGoal(scope, goalId, { adapters: [program] }).done;
  expect(view.state).toBe('completed');
}

test.each(MIGRATIONS.map(({ name }, place) => [name, place + 1] as const))(
  'opens an empty file that ends with %s, and goes on with it',
  async (_name, version) => {
    const directory = temporaryDirectory();
    const path = join(directory, 'trail.db');
    mkdirSync(dirname(path), { recursive: true });
    const file = new Database(path);
    for (const { sql } of MIGRATIONS.slice(0, version)) file.exec(sql);
    file.pragma(`application_id = ${APPLICATION_ID}`);
    file.pragma(`user_version = ${version}`);
    file.close();
    const kernel = await open(directory);
    await completed(kernel, 'goal-1');
    expect(await kernel.verifyTrail(scope)).toMatchObject({ ok: true, goals: 1 });
  },
);

test('brings goals whose row names the very last record to one that names what the row itself went through', async () => {
  const directory = temporaryDirectory();
  const path = join(directory, 'trail.db');
  const first = await open(directory);
  await completed(first, 'ended');
  await first.admitGoal(scope, contract('stopped'));
  const entered = gate();
  const stopped = first.runGoal(scope, 'stopped', {
    adapters: [
      adapter(async (context) => {
        await context.perform(modelTurn(1), acting('hi').run);
        entered.open();
        await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
        return null;
      }),
    ],
  });
  await entered.opened;
  stopped.stop();
  await stopped.done;
  await first[Symbol.asyncDispose]();
  const file = new Database(path);
  const rows = (): unknown => file.prepare('SELECT * FROM goals ORDER BY goal').all();
  const before = rows();
  file.exec(
    `UPDATE goals SET (head_seq, head_sha256, head_at) =
       (SELECT seq, record_sha256, at FROM trail WHERE trail.goal = goals.goal ORDER BY seq DESC LIMIT 1)`,
  );
  expect(rows()).not.toEqual(before);
  file.pragma('user_version = 3');
  file.close();
  const second = await open(directory);
  expect(await second.verifyTrail(scope)).toMatchObject({ ok: true, goals: 2 });
  const view = await second.runGoal(scope, 'stopped', { adapters: [program] }).done;
  expect(view.state).toBe('completed');
  expect(await second.verifyTrail(scope)).toMatchObject({ ok: true, goals: 2 });
});
