import { compileHarness } from '@millforge/compiler';
import { expect, test } from 'vitest';
import { findings, graphOf, inputFor, summaries, tool } from '../support/harness.ts';

const source = graphOf({ a: {}, b: {}, c: {}, x: { terminal_result: 'DONE' } });
const tools = [
  tool('test.a', { required_capabilities: ['disk.read'] }),
  tool('test.b', { required_capabilities: ['net', 'disk.read'] }),
  tool('test.x', { required_capabilities: ['end'] }),
];

test('asks for what all nodes need, optional ones and terminals too', () => {
  expect(summaries(findings(source, { tools }))).toEqual([
    'MF-C001 a +b capability_id=disk.read',
    'MF-C001 b capability_id=net',
    'MF-C001 x capability_id=end',
  ]);
});

test('writes what is needed into the plan, sorted, and nothing of what else is granted', () => {
  const grants = ['net', 'disk.read', 'disk.write', 'end'];
  const result = compileHarness(source, inputFor(source, { tools, request: { grants } }));
  expect(result).toMatchObject({ plan: { required_capabilities: ['disk.read', 'end', 'net'] } });
});

test('matches names exactly', () => {
  const grants = ['disk', 'disk.read.all', 'net', 'end'];
  expect(summaries(findings(source, { tools, request: { grants } }))).toEqual([
    'MF-C001 a +b capability_id=disk.read',
  ]);
});

test('asks nothing for a tool that did not resolve', () => {
  const missing = graphOf({ a: { tool_ref: 'test.a@2' }, x: { terminal_result: 'DONE' } });
  const codes = findings(missing, { tools: tools.slice(0, 1) }).map(({ code }) => code);
  expect(codes).toEqual(['MF-R002']);
});
