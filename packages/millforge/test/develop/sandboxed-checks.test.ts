import { createHostSandbox, type HostSandboxOptions } from 'millforge';
import { expect, onTestFinished, type TestContext, test } from 'vitest';
import { sandboxedChecks } from '../../src/develop/sandboxed-checks.ts';
import { testFolder } from '../support/greeter.ts';

async function check(
  { skip }: Pick<TestContext, 'skip'>,
  script: string,
  {
    ceiling,
    timeoutMs = 20_000,
  }: Pick<HostSandboxOptions, 'ceiling'> & { timeoutMs?: number } = {},
) {
  const sandbox = createHostSandbox(ceiling === undefined ? {} : { ceiling });
  onTestFinished(() => sandbox[Symbol.asyncDispose]());
  const report = (await sandbox.report()).at(-1);
  if (report?.isAvailable !== true) {
    expect((process.env['MILLFORGE_REQUIRE'] ?? '').split(',')).not.toContain('sandbox');
    skip(report?.detail);
  }
  const exit = await sandboxedChecks(sandbox)({
    argv: ['sh', '-c', script],
    directory: testFolder(),
    checks: null,
    timeoutMs,
    signal: new AbortController().signal,
  });
  return { ...exit, output: Buffer.from(exit.output).toString() };
}

test('runs a criterion inside the boundary, which it names', async (context) => {
  const exit = await check(
    context,
    'echo x > made && cat made; ls /root /home 2>&1 | head -1; exit 2',
  );
  expect(exit).toMatchObject({ exitCode: 2, timedOut: false, boundary: 'bubblewrap' });
  expect(exit.output).toMatch(/^x\n/);
});

test('counts a criterion whose time is over as late', async (context) => {
  const exit = await check(context, 'sleep 60', { timeoutMs: 300 });
  expect([exit.timedOut, exit.exitCode]).toEqual([true, null]);
});

test('takes no criterion for late that had less time than it may have', async (context) => {
  const short = { ceiling: { timeoutMs: 300 }, timeoutMs: 60_000 };
  await expect(check(context, 'sleep 60', short)).rejects.toThrow(/raise the ceiling/);
});

test('says which limit ended a criterion', async (context) => {
  const exit = await check(context, 'yes', { ceiling: { outputBytes: 100_000 } });
  expect([
    exit.exitCode,
    exit.output.trimEnd().endsWith('[The sandbox ended it: limit of output.]'),
  ]).toEqual([null, true]);
});
