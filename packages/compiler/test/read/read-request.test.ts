import { compileHarness } from '@millforge/compiler';
import { expect, test } from 'vitest';
import { harness, inputFor } from '../support/harness.ts';

const right = { grants: ['a.b'] };

test.each<[string, unknown, string]>([
  ['nothing', undefined, '/'],
  ['a request id with spaces', { ...right, requestId: 'my request' }, '/request_id'],
  ['a blank path', { ...right, logicalPath: ' ' }, '/source_path'],
  ['another format', { ...right, format: 'toml' }, '/source_format'],
  ['a wrong harness id', { ...right, expectedHarnessId: 'A' }, '/expected_harness_id'],
  ['a wrong stage', { ...right, stageKindId: '' }, '/stage_kind_id'],
  ['no legal results', { ...right, legalTerminalResults: [] }, '/legal_terminal_results'],
  ['a wrong result', { ...right, legalTerminalResults: ['X', 'y'] }, '/legal_terminal_results/1'],
  ['a repeated result', { ...right, legalTerminalResults: ['X', 'X'] }, '/legal_terminal_results'],
  ['no grants', {}, '/capability_envelope/grants'],
  [
    'a grant that is no capability',
    { grants: ['a', 'Everything'] },
    '/capability_envelope/grants/1/capability_id',
  ],
  ['a repeated grant', { grants: ['a', 'a'] }, '/capability_envelope/grants'],
  ['an unknown field', { ...right, outDir: '/x' }, '/'],
])('answers %s with MF-S018 before anything is read', (_, request, pointer) => {
  const catalog = new Proxy(inputFor(harness()).catalog, {
    get: () => {
      throw new Error('touched');
    },
  });
  // @ts-expect-error a JavaScript caller may pass anything
  const result = compileHarness(harness(), { ...inputFor(harness()), catalog, request });
  expect(result).toMatchObject({
    ok: false,
    failurePhase: 'request',
    diagnostics: [{ code: 'MF-S018', fields: [{ key: 'field_path', value: pointer }] }],
  });
});

test('reports the first wrong part in the order of the request document', () => {
  const request = { grants: ['A'], stageKindId: 'A', requestId: 'A' };
  const { diagnostics } = compileHarness(harness(), { ...inputFor(harness()), request });
  expect(diagnostics).toMatchObject([{ fields: [{ value: '/request_id' }] }]);
});

test('takes null for a grant without constraints, as a request document has it', () => {
  const request = { grants: [{ capabilityId: 'a.b', constraints: null }] };
  // @ts-expect-error a JavaScript caller may pass null
  const { diagnostics } = compileHarness(harness(), { ...inputFor(harness()), request });
  expect(diagnostics).toEqual([]);
});

test('names the constraints that there are where they are no mapping', () => {
  const request = { grants: [{ capabilityId: 'a.b', constraints: 'none' }] };
  // @ts-expect-error a JavaScript caller may pass anything
  const { diagnostics } = compileHarness(harness(), { ...inputFor(harness()), request });
  expect(diagnostics[0]?.hint).toBe(
    'Expected a mapping with some of paths, hosts, commands, max_bytes at /capability_envelope/grants/0/constraints.',
  );
});
