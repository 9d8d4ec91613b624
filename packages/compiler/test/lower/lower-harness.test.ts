import { compileHarness } from '@millforge/compiler';
import { type CompilerIdentity, canonicalJson } from '@millforge/contracts';
import { expect, test } from 'vitest';
import { checkHarness } from '../../src/check/check-harness.ts';
import { toCheckedHarness } from '../../src/lower/checked-harness.ts';
import { toSemanticPayload } from '../../src/lower/semantic-payload.ts';
import { parseInput } from '../../src/read/parse-input.ts';
import { readTarget } from '../../src/read/read-target.ts';
import { resolveHarness } from '../../src/resolve/resolve-harness.ts';
import { readFixture } from '../support/fixtures.ts';
import { harness, inputFor } from '../support/harness.ts';

test('takes the meaning of the worked example as 5,291 bytes', () => {
  const { source, input } = readFixture('ticket-review');
  const parsed = parseInput(source, input.request);
  const read = parsed.source === null ? null : readTarget(parsed.source, input.request);
  if (!read?.ok) throw new Error('not read');
  const { resolved } = resolveHarness(read.target.harness, input);
  if (resolved === null) throw new Error('not resolved');
  const checked = toCheckedHarness(resolved, checkHarness(resolved, read.target).facts);
  const text = canonicalJson(toSemanticPayload(checked));
  expect(text).toHaveLength(5291);
  expect(text).toContain('"producer_evidence":[{"all_producer_node_ids":["write_review"]');
});

test.each<[string, unknown, string]>([
  ['a blank name', { name: ' ', version: '1', build_id: 'b' }, 'MF-L002'],
  ['a number for a version', { name: 'n', version: 1, build_id: 'b' }, 'MF-L002'],
  ['a missing part', { name: 'n', version: '1' }, 'MF-L002'],
  ['an unknown part', { name: 'n', version: '1', build_id: 'b', host: 'h' }, 'MF-L002'],
  ['a function', { name: () => 'n', version: '1', build_id: 'b' }, 'MF-L001'],
])('refuses an identity with %s', (_, identity, code) => {
  // An identity may come from a command line.
  const input = { ...inputFor(harness()), identity: identity as CompilerIdentity };
  const result = compileHarness(harness(), input);
  expect(result).toMatchObject({
    ok: false,
    failurePhase: 'lowering',
    harnessId: 'test.harness',
    sourceSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    diagnostics: [{ code }],
  });
});

test('says why a plan would be refused', () => {
  const identity = { name: ' ', version: '1', build_id: 'b' };
  const [found] = compileHarness(harness(), { ...inputFor(harness()), identity }).diagnostics;
  expect(found?.hint).toContain('/compiler_identity/name');
});

function meaning(given: Parameters<typeof inputFor>[1]): string | null {
  const result = compileHarness(harness(), inputFor(harness(), given));
  return result.ok ? result.sourceSha256 : null;
}

test('gives the meaning of a plan no part of identity, request or output schemas', () => {
  const plain = meaning({});
  expect(meaning({ identity: { name: 'n', version: '1', build_id: 'b' } })).toBe(plain);
  expect(meaning({ request: { grants: ['a.b'], requestId: 'r', logicalPath: 'p' } })).toBe(plain);
});
