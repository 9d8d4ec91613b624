import { compileHarness } from '@millforge/compiler';
import {
  type CheckFileOutcome,
  type CompileFileOutcome,
  toCompileResultJson,
} from '@millforge/compiler/publish';
import type { Diagnostic } from '@millforge/contracts';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readFixture } from '../support/fixtures.ts';
import { findResultFaults } from '../support/result-invariants.ts';

const { source, input } = readFixture('review');
const result = compileHarness(source, input);
if (!result.ok) throw new Error('not compiled');
const { plan } = result;

const sha = fc.stringMatching(/^[0-9a-f]{64}$/);
const path = fc.constantFrom('plans/a.json', 'a.json');

function diagnostic(phase: string): Diagnostic {
  const code = 'MF-I001';
  return { code, name: 'any', severity: 'error', phase, message: 'Any.', path: '/' };
}

const common = {
  requestId: fc.constantFrom('request.one', 'request.invalid'),
  sourcePath: fc.constantFrom('a.yaml', 'a/ü.yaml'),
};
const absent = fc.constant({ kind: 'absent' } as const);
const written = fc.record({ kind: fc.constantFrom('committed', 'unknown'), path } as const);
const compiled = {
  ...common,
  documentSha256: sha,
  sourceSha256: sha,
  harnessId: fc.constant('docs.review'),
  requestIdentitySha256: sha,
};
const planned = { ...compiled, plan: fc.constant(plan), planPath: path, sha256: sha };
const warnings = fc.constant([] as readonly Diagnostic[]);
const errors = (phase: string) => fc.constant([diagnostic(phase)]);

/** Every outcome that the types admit and that compiling can come to. */
const outcomes: fc.Arbitrary<CompileFileOutcome | CheckFileOutcome> = fc.oneof(
  fc.record({
    ...common,
    kind: fc.constant('rejected' as const),
    sourcePath: fc.option(common.sourcePath),
    documentSha256: fc.constant(null),
    sourceSha256: fc.constant(null),
    harnessId: fc.constant(null),
    requestIdentitySha256: fc.constant(null),
    failurePhase: fc.constantFrom('request', 'parse', 'internal'),
    diagnostics: errors('request'),
    report: absent,
  }),
  fc.record({
    ...common,
    kind: fc.constant('rejected' as const),
    documentSha256: sha,
    sourceSha256: fc.constant(null),
    harnessId: fc.constant(null),
    requestIdentitySha256: fc.constant(null),
    failurePhase: fc.constantFrom('parse', 'schema', 'resolution', 'graph', 'artifact'),
    diagnostics: errors('schema'),
    report: absent,
  }),
  fc.record({
    ...compiled,
    kind: fc.constantFrom('conflict' as const, 'not_written' as const),
    diagnostics: errors('output'),
    report: fc.oneof(absent, written),
  }),
  fc.record({
    ...planned,
    kind: fc.constantFrom('published' as const, 'published_report_unsure' as const),
    reused: fc.boolean(),
    diagnostics: warnings,
    report: written,
  }),
  fc.record({
    ...planned,
    kind: fc.constant('publish_unsure' as const),
    diagnostics: errors('output'),
    report: written,
  }),
  fc.record({
    ...planned,
    kind: fc.constant('current' as const),
    diagnostics: warnings,
    report: absent,
  }),
  fc.record({
    ...planned,
    kind: fc.constantFrom('stale' as const, 'absent' as const),
    found: fc.constant([] as readonly string[]),
    diagnostics: warnings,
    report: absent,
  }),
);

test('no outcome makes a result document that contradicts itself', () => {
  fc.assert(
    fc.property(outcomes, (outcome) => {
      expect(findResultFaults(toCompileResultJson(outcome))).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test('the rules of result documents find a document that contradicts itself', () => {
  fc.assert(
    fc.property(outcomes, (outcome) => {
      const right = toCompileResultJson(outcome);
      const isFailed = right['status'] === 'failed';
      const wrong = { ...right, failure_phase: isFailed ? null : 'output' };
      expect(findResultFaults(wrong)).not.toEqual([]);
    }),
  );
});

test('findings about the source name its path; those about request and output name none', () => {
  fc.assert(
    fc.property(outcomes, fc.constantFrom('request', 'output', 'graph'), (outcome, phase) => {
      const json = toCompileResultJson({ ...outcome, diagnostics: [diagnostic(phase)] });
      const [found] = JSON.parse(JSON.stringify(json['diagnostics']));
      const isNamed = phase === 'graph' && outcome.sourcePath !== null;
      expect(found.source_reference?.logical_path ?? null).toBe(
        isNamed ? outcome.sourcePath : null,
      );
    }),
  );
});
