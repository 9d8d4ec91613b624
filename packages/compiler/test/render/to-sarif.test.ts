import { compileHarness } from '@millforge/compiler';
import { toSarif } from '@millforge/compiler/render';
import type { Diagnostic } from '@millforge/contracts';
import { expect, test } from 'vitest';
import { fixtureNames, readFixture } from '../support/fixtures.ts';

function found(name: string): readonly Diagnostic[] {
  const { source, input } = readFixture(name);
  return compileHarness(source, input).diagnostics;
}

test('writes one run with a rule per code and a result per diagnostic', () => {
  const diagnostics = found('unknown-prerequisite-node.invalid');
  expect(toSarif(diagnostics)).toEqual({
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'millforge',
            version: expect.stringMatching(/^\d+\.\d+\.\d+/),
            rules: [
              {
                id: 'MF-G001',
                name: 'UnknownPrerequisiteNode',
                shortDescription: { text: 'Unknown prerequisite node.' },
                help: { text: 'See docs/codes/G/MF-G001.md.' },
              },
              {
                id: 'MF-G006',
                name: 'UnreachableTerminal',
                shortDescription: { text: 'Unreachable terminal.' },
                help: { text: 'See docs/codes/G/MF-G006.md.' },
              },
            ],
          },
        },
        columnKind: 'unicodeCodePoints',
        results: [
          {
            ruleId: 'MF-G001',
            ruleIndex: 0,
            level: 'error',
            message: {
              text: "Node 'write_review' references unknown prerequisite 'open_tickets'.\nDid you mean 'open_ticket'?",
            },
            locations: [
              {
                physicalLocation: {
                  artifactLocation: { uri: 'unknown-prerequisite-node.invalid/harness.yaml' },
                  region: { startLine: 33, startColumn: 9 },
                },
                logicalLocations: [
                  { fullyQualifiedName: '/graph/nodes/1/prerequisites/0', name: 'write_review' },
                ],
              },
            ],
          },
          expect.objectContaining({ ruleId: 'MF-G006', ruleIndex: 1 }),
        ],
      },
    ],
  });
});

test('gives every result a rule that exists, and every place a line and a column from 1', () => {
  const diagnostics = fixtureNames().invalid.flatMap(found);
  const [run] = toSarif(diagnostics)['runs'] as object as readonly SarifRun[];
  expect(run?.results).toHaveLength(diagnostics.length);
  for (const { ruleId, ruleIndex, locations } of run?.results ?? []) {
    expect(run?.tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
    const region = locations[0]?.physicalLocation?.region;
    if (region === undefined) continue;
    expect(region.startLine).toBeGreaterThanOrEqual(1);
    expect(region.startColumn).toBeGreaterThanOrEqual(1);
  }
  expect(new Set(run?.tool.driver.rules.map(({ id }) => id)).size).toBe(
    run?.tool.driver.rules.length,
  );
});

interface SarifRun {
  readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
  readonly results: readonly {
    readonly ruleId: string;
    readonly ruleIndex: number;
    readonly locations: readonly {
      readonly physicalLocation?: {
        readonly region?: { readonly startLine: number; readonly startColumn: number };
      };
    }[];
  }[];
}

test('states an end where there is one, and no place where there is none', () => {
  const [diagnostic] = found('unknown-field.invalid');
  if (diagnostic === undefined) throw new Error('The fixture must have a finding.');
  const span = { line: 2, column: 3, endLine: 2, endColumn: 9 };
  const { span: _, logicalPath: __, ...bare } = diagnostic;
  const text = JSON.stringify(toSarif([{ ...diagnostic, span }, bare]));
  expect(text).toContain('"region":{"startLine":2,"startColumn":3,"endLine":2,"endColumn":9}');
  expect(text.match(/physicalLocation/g)).toHaveLength(1);
  expect(JSON.stringify(toSarif([bare], { path: 'a b/c#.yaml' }))).toContain(
    '"uri":"a%20b/c%23.yaml"',
  );
});

test('repeats nothing that looks like a secret', () => {
  const [diagnostic] = found('unknown-field.invalid');
  if (diagnostic === undefined) throw new Error('The fixture must have a finding.');
  const secret = `ghp_${'x1'.repeat(18)}`;
  const leaky = { ...diagnostic, message: secret, path: `/${secret}`, hint: secret };
  expect(JSON.stringify(toSarif([leaky]))).not.toContain(secret);
});

test('gives a rule the address of its page where the pages have one', () => {
  const log = toSarif(found('unknown-field.invalid'), { pages: 'https://docs.example/codes' });
  expect(JSON.stringify(log)).toContain('"helpUri":"https://docs.example/codes/S/MF-S021.md"');
});
