import { compileHarness } from '@millforge/compiler';
import type { JsonObject } from '@millforge/contracts';
import { expect, test } from 'vitest';
import { graphOf, harness, inputFor, needs } from './support/harness.ts';

// A report holds 127 diagnostics and the notice that there were more: those that come first in the text.

function reported(source: JsonObject): readonly string[] {
  const { diagnostics } = compileHarness(JSON.stringify(source), inputFor(source));
  expect(diagnostics).toHaveLength(128);
  expect(diagnostics.at(-1)?.code).toBe('MF-D001');
  return diagnostics.slice(0, -1).map(({ code, path }) => `${code} ${path}`);
}

const ids = (prefix: string) => Array.from({ length: 1000 }, (_, at) => `${prefix}${at}`);

test('of thousands of artifacts the first are reported, with all that is wrong with each', () => {
  const source = graphOf({
    late: { produces: ids('late_') },
    early: { ...needs('late'), produces: ids('early_') },
    finish: { terminal_result: 'DONE', ...needs('early') },
  });
  const found = reported(source);
  const expected = Array.from({ length: 64 }, (_, at) => [
    `MF-A001 /graph/nodes/0/produces/${at}`,
    `MF-A002 /graph/nodes/0/produces/${at}`,
  ]).flat();
  expect(found).toEqual(expected.slice(0, 127));
});

test('of thousands of unknown keys the first are reported', () => {
  const keys = ids('unknown_');
  const found = reported(harness(Object.fromEntries(keys.map((key) => [key, 1]))));
  expect(found).toEqual(keys.slice(0, 127).map((key) => `MF-S021 /${key}`));
});

test('of thousands of items of a wrong type the first are reported', () => {
  const numbers = Array.from({ length: 1000 }, (_, at) => at);
  const found = reported(graphOf({ finish: { terminal_result: 'DONE', produces: numbers } }));
  expect(found).toEqual(numbers.slice(0, 127).map((at) => `MF-S022 /graph/nodes/0/produces/${at}`));
});

test('of thousands of secrets the first are reported', () => {
  const secrets = ids('sk-a1b2c3d4e5f6g7h8i9j');
  const found = reported(graphOf({ finish: { terminal_result: 'DONE', produces: secrets } }));
  expect(found).toEqual(
    secrets.slice(0, 127).map((_, at) => `MF-S026 /graph/nodes/0/produces/${at}`),
  );
});
