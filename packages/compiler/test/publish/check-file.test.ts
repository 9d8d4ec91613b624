import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkFile, compileFile, toCompileResultJson } from '@millforge/compiler/publish';
import { expect, test } from 'vitest';
import { layOut, PLAN_NAME } from '../support/disk.ts';
import { findResultFaults } from '../support/result-invariants.ts';

const OTHER = PLAN_NAME.replace('29676dd8', '00000000');

test('a plan is current once it was published, and nothing is written to find that out', async () => {
  const { request, input, output } = await layOut();
  expect(await checkFile(request, input)).toMatchObject({ kind: 'absent', found: [] });
  expect(await readdir(output)).toEqual([]);
  await compileFile(request, input);
  const before = await readdir(output);
  const outcome = await checkFile(request, input);
  expect(outcome).toMatchObject({ kind: 'current', planPath: `compiled/${PLAN_NAME}` });
  expect(toCompileResultJson(outcome)).toMatchObject({
    status: 'committed',
    compiled_plan_path: `compiled/${PLAN_NAME}`,
    diagnostic_report_state: 'absent',
  });
  expect(await readdir(output)).toEqual(before);
});

test('a plan that is there under its name with other bytes is stale', async () => {
  const { request, input, output } = await layOut();
  await writeFile(join(output, PLAN_NAME), 'mine');
  expect(await checkFile(request, input)).toMatchObject({ kind: 'stale', found: [PLAN_NAME] });
});

test('says which plans of the same harness are there, and of no other', async () => {
  const { request, input, output } = await layOut();
  const others = [
    OTHER,
    'docs.example.ticket-review.v11@3.json',
    'docs.example.ticket-review.v1@3.x.compiled.json',
    `other.${PLAN_NAME}`,
    `.${PLAN_NAME}.tmp`,
  ];
  for (const name of others) await writeFile(join(output, name), '');
  const outcome = await checkFile(request, input);
  expect(outcome).toMatchObject({ kind: 'stale', found: [OTHER] });
  const json = toCompileResultJson(outcome);
  expect(json).toMatchObject({ status: 'prepared', plan_commit_certainty: 'absent' });
  expect(findResultFaults(json)).toEqual([]);
});

test('refuses what compiling refuses', async () => {
  const { request, input } = await layOut();
  expect(await checkFile({ ...request, output_dir: 'none' }, input)).toMatchObject({
    kind: 'rejected',
    diagnostics: [{ code: 'MF-S017' }],
  });
});
