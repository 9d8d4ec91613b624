import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCli, testFolder } from './run-cli.ts';
import { GRANT_FLAGS, testHarness } from './test-harness.ts';

test('a run whose time ends before the model answers says that it did not: 6', {
  tags: ['slow'],
}, async () => {
  const server = createServer(() => {});
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const cwd = testFolder();
  writeFileSync(join(cwd, 'harness.yaml'), testHarness());
  const argv = ['run', 'harness.yaml', '--task', 't', '--data', 'data', '--timeout', '1s'];
  const model = ['--model', `http://127.0.0.1:${port}/v1#m`];
  const end = await runCli([...argv, ...model, ...GRANT_FLAGS], { cwd });
  expect([end.code, end.stdout]).toEqual([6, expect.stringContaining('The model did not answer')]);
});
