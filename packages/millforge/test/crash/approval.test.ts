/** @module-tag slow */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openShop } from '../support/shop.ts';
import { bundleChild } from './bundle-child.ts';

test('a call that was declined stays declined after a crash, whoever could say yes by then', async () => {
  const program = await bundleChild(join(import.meta.dirname, 'approval-child.ts'));
  const shop = openShop();
  onTestFinished(shop.remove);
  const child = spawnSync(process.execPath, [program, shop.directory], { timeout: 20_000 });
  expect([child.signal, String(child.stderr)]).toEqual(['SIGKILL', '']);

  // The process that goes on knows neither the policy nor the person, and its own provider would say yes.
  await using millforge = shop.open({
    approvalProvider: {
      request: async () => ({ kind: 'approved', actor: 'someone else', reason: '' }),
    },
  });
  const said: string[] = [];
  const run = await millforge.resume('run_shop', {
    onEvent(event) {
      if (event.kind === 'approval-requested') said.push('asked again');
      if (event.kind === 'call-refused') said.push(event.message);
    },
  });
  expect((await run.result).status).toBe('success');
  expect(said).toEqual(['[policy_denied] ann declined buy: too dear. Do without it.']);
  expect(shop.bought()).toEqual([]);
  expect((await millforge.verifyTrail('run_shop')).ok).toBe(true);
});
