import { compileHarness } from '@millforge/compiler';
import { expect, test } from 'vitest';
import { findings, graphOf, inputFor, summaries, tool } from '../support/harness.ts';

const V11 = { schema_version: '1.1' };

test.each(['TASK_BLOCKED', 'TASK_REJECTED'])(
  'warns of %s in either version (MF-G018)',
  (result) => {
    for (const version of ['1.0', '1.1']) {
      const source = graphOf({ x: { terminal_result: result } }, { schema_version: version });
      const compiled = compileHarness(source, inputFor(source));
      expect(compiled.ok).toBe(true);
      expect(compiled.diagnostics).toMatchObject([
        { code: 'MF-G018', severity: 'warning', path: '/graph/nodes/0/terminal_result' },
      ]);
      expect(compiled.diagnostics[0]?.hint).toContain('disposition: ');
    }
  },
);

test.each([
  ['an exact result', { terminal_result: 'BLOCKED' }],
  ['another name', { terminal_result: 'BLOCKED_TASK' }],
  ['a disposition', { terminal_result: 'TASK_BLOCKED', disposition: 'success' }],
  [
    'the tool that rejects',
    { terminal_result: 'TASK_REJECTED', tool_ref: 'builtin.terminal.reject@1' },
  ],
])('does not warn of %s', (_, node) => {
  const tools = [tool('builtin.terminal.reject')];
  expect(summaries(findings(graphOf({ x: node }, V11), { tools }))).toEqual([]);
});

test('a warning does not hide what is wrong, nor change the phase that failed', () => {
  const source = graphOf({ x: { terminal_result: 'TASK_BLOCKED', produces: ['nothing'] } }, V11);
  const result = compileHarness(source, inputFor(source));
  expect(result).toMatchObject({ ok: false, failurePhase: 'artifact' });
  expect(result.diagnostics.map(({ code }) => code)).toEqual(['MF-G018', 'MF-A001', 'MF-A002']);
});

test('the plan says what each end means, also where the source does not', () => {
  const source = graphOf(
    {
      a: { terminal_result: 'COMPLETE' },
      b: { terminal_result: 'BLOCKED' },
      c: { terminal_result: 'HANDED_ON', tool_ref: 'builtin.terminal.escalate@1' },
      d: { terminal_result: 'GIVEN_UP', disposition: 'failed' },
      e: {},
    },
    V11,
  );
  const tools = [tool('builtin.terminal.escalate')];
  const result = compileHarness(source, inputFor(source, { tools }));
  const nodes = result.ok ? result.plan.nodes : [];
  expect(nodes.map((node) => node.disposition)).toEqual([
    'success',
    'blocked',
    'escalated',
    'failed',
    null,
  ]);
});
