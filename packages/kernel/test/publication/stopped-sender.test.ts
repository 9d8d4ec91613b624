import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { bundleChild } from '../bundle-child.ts';
import { scope } from '../fixture.ts';
import { approved, ONE, publisher, world } from './world.ts';

test('concludes nothing from an absence while the process that sends is only stopped, and does once it is dead', {
  tags: ['slow'],
  timeout: 60_000,
}, async () => {
  const { directory, publications } = await world();
  await approved(publications);
  const child = await bundleChild(join(import.meta.dirname, 'silent-child.ts'));
  const sender = spawn(process.execPath, [child, join(directory, 'trail.db')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await once(sender.stdout, 'data');
    sender.kill('SIGSTOP');
    const sealing = publisher({
      settleMs: 0,
      inspect: async () => ({ kind: 'absent', isFinal: true }),
    });
    const stopped = await publications.reconcile(scope, ONE, { publisher: sealing });
    expect(stopped).toMatchObject({ state: 'sending', operation: { settled_at: null } });
    expect(stopped.operation?.sender?.pid).toBe(sender.pid);
    const gone = once(sender, 'exit');
    sender.kill('SIGKILL');
    await gone;
    const deaf = publisher({ inspect: async () => ({ kind: 'absent', isFinal: false }) });
    expect(await publications.reconcile(scope, ONE, { publisher: deaf })).toMatchObject({
      state: 'unknown',
      reason: 'sender-gone',
    });
    expect(await publications.reconcile(scope, ONE, { publisher: sealing })).toMatchObject({
      state: 'rejected',
      reason: 'finally-absent',
    });
  } finally {
    sender.kill('SIGKILL');
    rmSync(dirname(child), { recursive: true, force: true });
  }
});
