import { sha256 } from '@millforge/contracts';
import { describe, expect, test } from 'vitest';
import { runWorld, succeed } from './run-world.ts';
import { toolWorld } from './tool-world.ts';

describe('the tools of artifacts', () => {
  test.each([
    ['plan', { plan: 'First look.' }],
    ['patch_summary', { summary: 'First look.' }],
    ['test_results', { results: 'First look.' }],
    ['checker_verdict', { verdict: 'First look.' }],
  ])(
    'what is stored as %s is read again by its own reader and by the general one',
    async (id, input) => {
      const world = await runWorld();
      const stored = await succeed(world, `write_${id}_artifact`, input);
      const digest = sha256('First look.');
      expect(stored.data).toEqual({
        status: 'success',
        summary: `stored ${id}, 11 bytes`,
        artifact_id: id,
        content_sha256: digest,
      });
      expect(stored.artifact_ids).toEqual([id]);
      for (const [reader, argument] of [
        [`read_${id}_artifact`, {}],
        ['read_artifact', { artifact_id: id }],
      ] as const) {
        const read = await succeed(world, reader, argument);
        expect(read.text).toBe('First look.');
        expect(read.data).toMatchObject({
          artifact_id: id,
          content_sha256: digest,
          truncated: false,
        });
      }
      expect(await world.artifacts.list()).toMatchObject([
        { artifact_id: id, path: `${id}.md`, producer: `builtin.artifact.write_${id}` },
      ]);
    },
  );

  test('one tool stores either verdict', async () => {
    const world = await runWorld();
    const input = { artifact_id: 'arbiter_verdict', verdict: 'Yes.' };
    expect((await succeed(world, 'write_verdict_artifact', input)).artifact_ids).toEqual([
      'arbiter_verdict',
    ]);
    expect((await succeed(world, 'read_artifact', { artifact_id: 'arbiter_verdict' })).text).toBe(
      'Yes.',
    );
    const other = await world.execute('write_verdict_artifact', { ...input, artifact_id: 'plan' });
    expect(other.outcome.error_code).toBe('invalid_arguments');
  });

  test('content is cut when it is read, and its digest is that of the whole', async () => {
    const world = await runWorld();
    await succeed(world, 'write_plan_artifact', { plan: 'x'.repeat(5000) });
    const read = await succeed(world, 'read_artifact', { artifact_id: 'plan', max_bytes: 10 });
    expect(read.data).toMatchObject({
      content: `${'x'.repeat(10)}[truncated]`,
      truncated: true,
      content_sha256: sha256('x'.repeat(5000)),
    });
  });

  test('an artifact that is not there yet is not found (B-11)', async () => {
    const world = await runWorld();
    const { outcome } = await world.execute('read_plan_artifact', {});
    expect([outcome.error_code, outcome.text]).toEqual([
      'not_found',
      'artifact_absent: plan has not been written yet.',
    ]);
  });

  test('an artifact that the plan does not declare is refused before anything is looked at', async () => {
    const policy = { declared_artifact_ids: ['plan'], required_by_terminal: [] };
    const world = await runWorld({ plan: { artifact_policy: policy } });
    for (const [name, input] of [
      ['write_patch_summary_artifact', { summary: 'x' }],
      ['read_artifact', { artifact_id: '../../etc/passwd' }],
      ['read_test_results_artifact', {}],
    ] as const) {
      const { outcome } = await world.execute(name, input);
      expect([outcome.error_code, outcome.certainty]).toEqual(['policy_denied', 'not_attempted']);
      expect(outcome.text).toMatch(/^artifact_undeclared: /);
    }
    expect(await world.artifacts.list()).toEqual([]);
  });

  test('a run that the host has told nothing of has no artifacts', async () => {
    const world = await toolWorld();
    expect(await world.call('write_plan_artifact', { plan: 'x' })).toMatchObject({
      code: 'policy_denied',
      text: 'run_unknown: the host keeps no artifacts of this run.',
    });
  });

  test('an interrupted write is found out by the digest of what is stored', async () => {
    const world = await runWorld();
    const input = { plan: 'new' };
    const kinds: string[] = [];
    const prepared = await world.prepare('write_plan_artifact', input);
    if (prepared.kind === 'refused') throw new Error(prepared.message);
    const look = async () =>
      kinds.push((await world.reconcile('write_plan_artifact', input, prepared)).kind);
    await look();
    await world.run(prepared);
    await look();
    await succeed(world, 'write_plan_artifact', { plan: 'another' });
    await look();
    expect(kinds).toEqual(['not-happened', 'happened', 'unknown']);
  });

  test('the stored diff is that of the workspace to the byte, however long (B-04)', async () => {
    const world = await runWorld();
    await world.write('a.txt', 'old\n');
    await world.begin();
    const lines = Array.from({ length: 3000 }, (_, index) => `line ${index} of /usr/share`);
    await world.write(
      'a.txt',
      Buffer.concat([Buffer.from(`${lines.join('\n')}\n`), Buffer.from([0xff, 0x0a])]),
    );
    const stored = await succeed(world, 'write_workspace_diff_artifact');
    const bytes = Buffer.from((await world.artifacts.read('workspace_diff'))?.bytes ?? []);
    expect(stored.data['content_sha256']).toBe(sha256(bytes));
    expect(bytes.toString('latin1').split('\n')).toEqual([
      'diff --git a/a.txt b/a.txt',
      '--- a/a.txt',
      '+++ b/a.txt',
      '@@ -1,1 +1,3001 @@',
      '-old',
      ...lines.map((line) => `+${line}`),
      '+\u00ff',
      '',
    ]);
  });
});

describe('the tools of the request', () => {
  test('inspect_request shows what the run is about', async () => {
    const world = await runWorld({ task: `Mend it. ${'€'.repeat(600)}` });
    await succeed(world, 'write_plan_artifact', { plan: 'x' });
    const { data } = await succeed(world, 'inspect_request');
    expect(data).toEqual({
      status: 'success',
      summary: 'request run-1',
      request_id: 'run-1',
      stage_id: 'execution',
      objective: `Mend it. ${'€'.repeat(503)}`,
      artifact_refs: ['plan'],
      truncated: true,
    });
  });

  test('read_request_requirements lists grants, artifacts and what terminals demand', async () => {
    const world = await runWorld({
      plan: {
        artifact_policy: {
          declared_artifact_ids: ['plan', 'test_results'],
          required_by_terminal: [
            { terminal_result: 'DONE', artifact_ids: ['plan', 'test_results'] },
          ],
        },
      },
    });
    const { data, text } = await succeed(world, 'read_request_requirements');
    expect(text.split('\n').slice(-4)).toEqual([
      'capability:workspace.write',
      'artifact:plan',
      'artifact:test_results',
      'terminal:DONE:artifacts:plan,test_results',
    ]);
    expect(data).not.toHaveProperty('truncated');
  });
});

describe('the terminals', () => {
  const terminals = {
    submit_terminal_intent: 'COMPLETE',
    reject_terminal_intent: 'NOT_GOOD',
    escalate_terminal_intent: 'STUCK',
  };

  test('hand on what the model said, the blocker too, and what the end means (B-20)', async () => {
    const world = await runWorld({ terminals });
    await succeed(world, 'write_plan_artifact', { plan: 'x' });
    const submitted = await succeed(world, 'submit_terminal_intent', {
      terminal_result: 'COMPLETE',
      summary: 'All done.',
    });
    expect(submitted.data).toEqual({
      status: 'success',
      summary: 'All done.',
      terminal_result: 'COMPLETE',
      disposition: 'success',
      artifact_refs: ['plan'],
    });
    const rejected = await succeed(world, 'reject_terminal_intent', {
      terminal_result: 'NOT_GOOD',
      summary: 'No.',
      artifact_refs: [],
    });
    expect(rejected.data).toMatchObject({ disposition: 'rejected', artifact_refs: [] });
    const escalated = await succeed(world, 'escalate_terminal_intent', {
      terminal_result: 'STUCK',
      summary: 'Half done.',
      blocker: 'No access.',
    });
    expect(escalated.data).toMatchObject({
      disposition: 'escalated',
      blocker: 'No access.',
      summary: 'Half done.\nblocker: No access.',
    });
  });

  test.each([
    [{ terminal_result: 'OTHER', summary: 'x' }, 'terminal_intent_invalid'],
    [{ terminal_result: 'COMPLETE', summary: ' \n' }, 'invalid_arguments'],
    [
      { terminal_result: 'COMPLETE', summary: 'x', artifact_refs: ['plan'] },
      'terminal_intent_invalid',
    ],
    [{ terminal_result: 'COMPLETE', summary: 'x', more: 1 }, 'invalid_arguments'],
  ])('%j is refused', async (input, code) => {
    const world = await runWorld({ terminals });
    const { outcome } = await world.execute('submit_terminal_intent', input);
    expect([outcome.error_code, outcome.status]).toEqual([code, 'not_executed']);
  });

  test('what a result demands has to exist, whatever the model says', async () => {
    const world = await runWorld({
      terminals,
      plan: {
        artifact_policy: {
          declared_artifact_ids: ['plan'],
          required_by_terminal: [{ terminal_result: 'COMPLETE', artifact_ids: ['plan'] }],
        },
      },
    });
    const input = { terminal_result: 'COMPLETE', summary: 'x' };
    const early = await world.execute('submit_terminal_intent', input);
    expect(early.outcome.text).toBe('artifact_absent: COMPLETE needs plan; write that first.');
    await succeed(world, 'write_plan_artifact', { plan: 'x' });
    await succeed(world, 'submit_terminal_intent', input);
  });
});
