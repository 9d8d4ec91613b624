import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MillforgeFactory } from '@millforge/cli';
import { createMillforge, defineTool } from 'millforge';
import { expect, test } from 'vitest';
import { allJson, type CliEnd, runCli, testFolder } from './run-cli.ts';
import { scriptText, testHarness } from './test-harness.ts';

test('the terminal asks with tool, effect and arguments, and a yes performs the call', async () => {
  const shop = openShop();
  const end = await shop.run([], { answers: ['y'] });
  expect(end.code).toBe(0);
  expect(shop.bought()).toEqual(['"bread"']);
  expect(end.stderr).toContain('buy (test.buy@1) asks to be performed; its effect: network_write');
  expect(end.stderr).toContain('"what": "bread"');
  expect(end.stderr).toContain('Let it? [y/N] ');
  expect(end.stderr).toContain('approved by the terminal: buy');
});

test.each([
  ['no', ['n']],
  ['nothing at all', ['']],
  ['anything but yes', ['yes please']],
])('the answer at the terminal that is %s declines the call', async (_what, answers) => {
  const shop = openShop();
  const end = await shop.run([], { answers });
  expect(end.code).toBe(0);
  expect(shop.bought()).toEqual([]);
  expect(end.stderr).toContain('declined by the terminal: buy');
});

test('without a terminal the answer is no, and the events say so', async () => {
  const shop = openShop();
  const end = await shop.run(['--json']);
  expect(shop.bought()).toEqual([]);
  expect(allJson(end)).toContainEqual(
    expect.objectContaining({
      type: 'approval-decided',
      tool: 'buy',
      decision: 'declined',
      decided_by: 'nobody',
      reason: 'there is no terminal to ask at',
    }),
  );
});

test('--approve lets a class of effects go ahead, and no other', async () => {
  const allowed = openShop();
  expect((await allowed.run(['--approve', 'network_write'])).code).toBe(0);
  expect(allowed.bought()).toEqual(['"bread"']);
  const other = openShop();
  await other.run(['--approve', 'workspace_write', '--approve', 'process_execution']);
  expect(other.bought()).toEqual([]);
});

test('the configuration says what is asked about, declined and approved', async () => {
  const strict = openShop({ approvals: { rules: [{ tools: ['test.buy'], verdict: 'decline' }] } });
  const end = await strict.run(['--trust-project'], { answers: ['y'] });
  expect(end.stderr).not.toContain('Let it?');
  expect(strict.bought()).toEqual([]);

  const free = openShop({ approvals: { required: 'approve' } });
  await free.run(['--trust-project']);
  expect(free.bought()).toEqual(['"bread"']);
});

test("a project's approvals count for nothing before somebody trusts it", async () => {
  const shop = openShop({ approvals: { required: 'approve' } });
  const end = await shop.run([]);
  expect(end.stderr).toContain('approvals: approve what a tool asks approval for');
  expect(shop.bought()).toEqual([]);
});

test.each([
  ['approve', ['"bread"']],
  ['deny', []],
])('a call that is held is decided with --decide %s, and the run goes on', async (said, bought) => {
  const shop = openShop({ approvals: { required: 'hold' } });
  const held = await shop.run(['--trust-project']);
  expect(held.code).toBe(7);
  const [runId = ''] = / (run_\w+), trail/.exec(held.stdout)?.slice(1) ?? [];
  expect(held.stdout).toContain('May this be done: buy bread (network_write)?');
  expect(held.stdout).toContain('"arguments":{"what":"bread"}');
  expect(held.stdout).toContain(`resume ${runId} --data data --hold hold-1 --decide approve\n`);
  expect(shop.bought()).toEqual([]);
  const end = await shop.command('resume', runId, '--decide', said, '--data', 'data');
  expect(end.code).toBe(0);
  expect(shop.bought()).toEqual(bought);
});

test.each([
  [{ approvals: [] }, '/approvals'],
  [{ approvals: { rules: [{ verdict: 'maybe' }] } }, '/approvals/rules/0/verdict'],
  [{ grants: [{ capability_id: 'a.b', constraints: {} }] }, '/grants/0/constraints'],
  [{ grants: [{ capability_id: 'a.b', constraints: { paths: ['../x'] } }] }, '/paths/0'],
])('a configuration with %j is refused with its place: 65', async (config, place) => {
  const end = await openShop(config).run(['--trust-project']);
  expect(end.code).toBe(65);
  expect(end.stderr).toContain(place);
});

test('a grant with constraints bounds what a call may reach, from a flag and from the configuration', async () => {
  for (const [host, bought] of [
    ['bakery.example', ['"bread"']],
    ['bank.example', []],
  ] as const) {
    const byFlag = openShop({ approvals: { required: 'approve' } });
    await byFlag.run(['--trust-project', '--grant', hostFlag(host), '--grant', 'terminal.intent'], {
      grants: [],
    });
    expect(byFlag.bought()).toEqual(bought);
    const byFile = openShop({
      approvals: { required: 'approve' },
      grants: [hostGrant(host), 'terminal.intent'],
    });
    await byFile.run(['--trust-project'], { grants: [] });
    expect(byFile.bought()).toEqual(bought);
  }
});

function hostGrant(host: string) {
  return { capability_id: 'test.shop', constraints: { hosts: [host] } };
}

function hostFlag(host: string): string {
  return `test.shop={"hosts":["${host}"]}`;
}

function openShop(config: object | null = null) {
  const cwd = testFolder();
  const bought: string[] = [];
  writeFileSync(join(cwd, 'harness.yaml'), HARNESS);
  writeFileSync(join(cwd, 'script.json'), scriptText(REPLIES));
  if (config !== null) {
    const document = { kind: 'millforge_config', schema_version: '1.0', ...config };
    mkdirSync(join(cwd, '.millforge'));
    writeFileSync(join(cwd, '.millforge', 'config.json'), JSON.stringify(document));
  }
  const createShop: MillforgeFactory = (options) =>
    createMillforge({ ...options, tools: [buying(bought)] });
  return {
    bought: () => bought,
    command: (...argv: readonly string[]) => runCli(argv, { cwd, createMillforge: createShop }),
    run: (
      flags: readonly string[],
      {
        answers,
        grants = GRANTS,
      }: { answers?: readonly string[]; grants?: readonly string[] } = {},
    ): Promise<CliEnd> =>
      runCli(
        ['run', 'harness.yaml', '--task', 'Buy.', '--model', 'scripted:script.json'].concat(
          ['--data', 'data'],
          grants,
          flags,
        ),
        { cwd, createMillforge: createShop, ...(answers === undefined ? {} : { answers }) },
      ),
  };
}

function buying(bought: string[]) {
  return defineTool({
    id: 'test.buy',
    name: 'buy',
    description: 'Buys something.',
    input: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] },
    sideEffect: 'network_write',
    idempotency: 'non_idempotent',
    capabilities: ['test.shop'],
    approval: 'explicit',
    reach: () => ({ hosts: ['bakery.example'] }),
    async run({ what }) {
      bought.push(JSON.stringify(what));
      return { kind: 'done', text: 'bought' };
    },
  });
}

const GRANTS = ['--grant', 'test.shop', '--grant', 'terminal.intent'];
const HARNESS = testHarness({
  nodes: `    buy:
      tool_ref: test.buy@1
    finish:
      tool_ref: builtin.pi_compat.submit@1
      terminal_result: COMPLETE
`,
});
const REPLIES = [
  { tool_calls: [{ name: 'buy', arguments: { what: 'bread' } }] },
  {
    tool_calls: [
      { name: 'submit', arguments: { terminal_result: 'COMPLETE', summary: 'It is done.' } },
    ],
  },
];
