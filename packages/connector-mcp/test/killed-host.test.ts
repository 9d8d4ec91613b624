import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { processesWith, until } from './subject.ts';

test('leaves no process of a server that ends by nothing when the host is killed in the middle of a call', {
  tags: ['slow'],
}, async () => {
  const mode = 'stubborn';
  const mark = `killed-host-${mode}-${Math.random()}`;
  const conditions = process.env['MILLFORGE_TEST_DIST'] === undefined ? ['millforge-src'] : [];
  const host = spawn(
    process.execPath,
    [
      '--import',
      'tsx',
      ...conditions.flatMap((name) => ['--conditions', name]),
      `${import.meta.dirname}/host-child.ts`,
      mode,
      mark,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  await once(host.stdout, 'data');
  const servers = processesWith(mark).filter((line) => line.includes('stdio-server.mjs'));
  expect(servers.length).toBeGreaterThan(0);
  host.kill('SIGKILL');
  await until(() => processesWith(mark).length === 0);
});
