/** @module-tag slow */
import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { developContract, MENDED, MODEL } from '../integration/develop-sample.ts';
import { developWorld, git } from '../integration/develop-world.ts';
import { bundleChild } from './bundle-child.ts';
import type { DevelopOrder } from './develop-child.ts';

test('a development that is killed in one phase after the other asks no model twice and ends with its patch', async () => {
  const program = await bundleChild(join(import.meta.dirname, 'develop-child.ts'));
  onTestFinished(() => rmSync(dirname(dirname(program)), { recursive: true, force: true }));
  const { folder, candidate, checks, urls, requests, open } = await developWorld();
  const deaths: readonly DevelopOrder['die'][] = [
    { result: 1 },
    { phase: 'plan', event: 'model-replied' },
    { phase: 'build', event: 'call-started' },
    { phase: 'debug', event: 'model-replied' },
    // The result of debug comes first.
    { result: 2 },
    { result: 2 },
  ];
  for (const [index, die] of deaths.entries()) {
    const order: DevelopOrder = { candidate, checks, urls, die, dataDir: join(folder, 'data') };
    // The model servers are in this process, which must not wait.
    const death = await new Promise<unknown>((resolve) => {
      const argv = [program, JSON.stringify(order)];
      execFile(process.execPath, argv, { timeout: 30_000 }, (error, _stdout, stderr) =>
        resolve([index, error?.signal, stderr]),
      );
    });
    expect(death).toEqual([index, 'SIGKILL', '']);
    expect(git(candidate, 'status', '--porcelain')).toBe('');
  }
  const millforge = open();
  const request = { contract: developContract(), candidate, checks, model: MODEL };
  const result = await (await millforge.develop(request)).result;
  expect([result.status, result.message]).toEqual(['success', null]);
  // One turn each of plan, research and debug, three of build.
  expect(requests().length).toBe(6);
  expect(await millforge.verifyTrail('mend-sum')).toMatchObject({ ok: true });
  git(candidate, 'apply', result.patch ?? '');
  expect(readFileSync(join(candidate, 'src/sum.js'), 'utf8')).toBe(MENDED);
});
