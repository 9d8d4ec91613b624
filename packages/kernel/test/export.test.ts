import { sha256 } from '@millforge/contracts';
import type { Kernel } from '@millforge/kernel';
import { assert, asyncProperty, integer } from 'fast-check';
import { expect, test } from 'vitest';
import {
  acting,
  adapter,
  contract,
  modelTurn,
  open,
  outcome,
  records,
  scope,
  temporaryDirectory,
  toolCall,
  unsafeCall,
} from './fixture.ts';

const program = adapter(async (context) => {
  await context.perform(modelTurn(1), acting('x'.repeat(3000)).run);
  context.log({ key: 'note', step: 1, type: 'context-compacted', data: 'y'.repeat(70_000) });
  await context.perform(toolCall('tool/1/0'), acting('small').run);
  await context.perform(
    unsafeCall('tool/1/1', { sensitive: true, input: 'secret' }),
    acting('sent').run,
  );
  await context.saveArtifact(Buffer.from('patch'), { mediaType: 'text/plain', maxBytes: 10 });
  return outcome();
});

async function exported(): Promise<{ readonly kernel: Kernel; readonly lines: string[] }> {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, contract('goal-1'));
  await kernel.runGoal(scope, 'goal-1', { adapters: [program] }).done;
  const lines: string[] = [];
  for await (const line of kernel.exportTrail(scope, 'goal-1')) lines.push(line);
  return { kernel, lines };
}

test('takes a goal over into another trail, where it reads and verifies the same', async () => {
  const { kernel, lines } = await exported();
  const other = await open(temporaryDirectory());
  const view = await other.importTrail(scope, lines);
  const original = await kernel.readGoal(scope, 'goal-1');
  expect(view).toEqual({
    ...original,
    imported_at: expect.any(String),
    updated_at: expect.any(String),
    head: expect.any(Object),
  });
  expect(await other.verifyTrail(scope)).toEqual({
    ok: true,
    goals: 1,
    records: original.head.seq + 1,
  });
  expect((await records(other, 'goal-1')).slice(0, -1)).toEqual(await records(kernel, 'goal-1'));
  expect(await other.readOperation(scope, 'goal-1', { key: 'model/1' })).toEqual(
    await kernel.readOperation(scope, 'goal-1', { key: 'model/1' }),
  );
});

test('tells of the import in the trail itself, behind the head that was exported', async () => {
  const { kernel, lines } = await exported();
  const other = await open(temporaryDirectory());
  await other.importTrail(scope, lines);
  const last = (await records(other, 'goal-1')).at(-1);
  expect(last).toMatchObject({
    type: 'trail-imported',
    previous_sha256: (await kernel.readGoal(scope, 'goal-1')).head.sha256,
    data: { imports: [{ imported_by: 'ann@host', export_sha256: expect.any(String) }] },
  });
});

test('never runs, decides or cancels what was imported', async () => {
  const kernel = await open(temporaryDirectory());
  await kernel.admitGoal(scope, contract('goal-1'));
  const lines: string[] = [];
  for await (const line of kernel.exportTrail(scope, 'goal-1')) lines.push(line);
  const other = await open(temporaryDirectory());
  const { version } = await other.importTrail(scope, lines);
  const refused = { code: 'kernel/imported' };
  await expect(other.runGoal(scope, 'goal-1', { adapters: [program] }).done).rejects.toMatchObject(
    refused,
  );
  await expect(other.cancelGoal(scope, 'goal-1', { version, reason: 'x' })).rejects.toMatchObject(
    refused,
  );
});

test('exports no sensitive input', async () => {
  const { lines } = await exported();
  expect(lines.join('')).not.toContain('secret');
});

test('ends with a summary over all lines before it', async () => {
  const { lines } = await exported();
  const summary = JSON.parse(lines.at(-1) ?? '').summary;
  expect(summary.export_sha256).toBe(sha256(lines.slice(0, -1).join('')));
  expect(summary.records + summary.payloads).toBe(lines.length - 2);
});

test('refuses an export that was changed anywhere, and imports nothing of it', {
  tags: ['slow'],
}, async () => {
  const { lines } = await exported();
  const other = await open(temporaryDirectory());
  const text = lines.join('');
  await assert(
    asyncProperty(
      integer({ min: 0, max: text.length - 1 }),
      integer({ min: 0x20, max: 0x7e }),
      async (place, code) => {
        const letter = String.fromCharCode(code);
        if (text[place] === letter || text[place] === '\n') return;
        const changed = `${text.slice(0, place)}${letter}${text.slice(place + 1)}`;
        const refused = other.importTrail(scope, changed.trimEnd().split('\n'));
        await expect(refused).rejects.toMatchObject({ code: 'kernel/export-invalid' });
      },
    ),
    { numRuns: 150 },
  );
  expect(await other.listGoals(scope)).toEqual([]);
});

test.each([
  ['a line is dropped', (lines: string[]) => lines.filter((_, place) => place !== 3)],
  [
    'two lines change places',
    (lines: string[]) => [...lines.slice(0, 2), lines[3], lines[2], ...lines.slice(4)],
  ],
  ['the end is cut off', (lines: string[]) => lines.slice(0, -2)],
  ['something follows', (lines: string[]) => [...lines, lines[2]]],
  ['it is empty', () => []],
])('refuses an export when %s', async (_what, change) => {
  const { lines } = await exported();
  const other = await open(temporaryDirectory());
  const changed = change(lines).filter((line) => line !== undefined);
  await expect(other.importTrail(scope, changed)).rejects.toMatchObject({
    code: 'kernel/export-invalid',
  });
});

test('refuses an export of another tenant, and a goal that is here already', async () => {
  const { kernel, lines } = await exported();
  const as = { ...scope, tenant: 'other' };
  await expect(kernel.importTrail(as, lines)).rejects.toMatchObject({
    code: 'kernel/export-invalid',
  });
  await expect(kernel.importTrail(scope, lines)).rejects.toMatchObject({
    code: 'kernel/goal-conflict',
  });
});

test('refuses records that name a column which no table has', async () => {
  const { lines } = await exported();
  const other = await open(temporaryDirectory());
  const hostile = lines.map((line) => line.replace('units_limit', 'units_limit) VALUES (1); --'));
  await expect(other.importTrail(scope, hostile)).rejects.toMatchObject({
    code: 'kernel/export-invalid',
  });
});
