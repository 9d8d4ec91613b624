import type { PlanBudgets } from '@millforge/contracts';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildPlan } from './support/builder-plan.ts';
import { runScript, type Scripted } from './support/scripted-run.ts';

const NODES = [
  { id: 'read' },
  { id: 'write', after: [{ node: 'read', same: 'path' }] },
  { id: 'never', required: true },
  { id: 'break', tool: { run: () => Promise.reject(new Error('broken')) } },
  { id: 'submit', terminal: 'COMPLETE' },
];

type Part = 'unknown' | 'unusable' | 'broken' | 'unmet' | 'early' | 'fine';

const CALLS: { readonly [P in Part]: readonly [name: string, args?: unknown] } = {
  unknown: ['nothing'],
  unusable: ['read', '[]'],
  broken: ['break'],
  unmet: ['write', { path: 'never read' }],
  early: ['submit', { summary: 'Done.' }],
  fine: ['read', { path: 'a' }],
};

/** Reads something else every time: the same again and again is no progress. */
function callOf(part: Part, turn: number): readonly [name: string, args?: unknown] {
  return part === 'fine' ? ['read', { path: `a${turn}` }] : CALLS[part];
}

/** Replies as the parts of their batches; one without parts is text. */
const replies = fc.array(
  fc.constantFrom<readonly Part[]>(
    [],
    ['unknown'],
    ['unusable'],
    ['broken'],
    ['unmet'],
    ['early'],
    ['fine'],
    ['unknown', 'fine'],
    ['unusable', 'unknown'],
    ['unusable', 'fine'],
    ['broken', 'unmet'],
    ['early', 'unusable'],
    ['fine', 'broken', 'broken'],
  ),
  { minLength: 12, maxLength: 12 },
);

const few = fc.integer({ min: 1, max: 3 });
const budgets = fc.record({
  max_iterations: fc.constant(12),
  max_validation_retries: few,
  max_tool_errors: few,
  max_prerequisite_violations: few,
  max_premature_terminal_attempts: few,
});

interface End {
  readonly turns: number;
  /** Every budget that is over at once. */
  readonly classes: readonly string[];
}

/** Where a run must end by the plain rules: N in a row are allowed, and only a clean batch forgives. */
function expectedEnd(script: readonly (readonly Part[])[], limits: PlanBudgets): End {
  const row = { validation_retries: 0, tool_errors: 0, prerequisite: 0, premature: 0 };
  for (const [index, parts] of script.entries()) {
    const has = (...kinds: readonly Part[]): boolean => kinds.some((kind) => parts.includes(kind));
    if (parts.every((part) => part === 'unknown')) row.validation_retries += 1;
    else if (has('broken', 'unmet', 'early', 'fine')) row.validation_retries = 0;
    if (has('unusable', 'broken')) row.tool_errors += 1;
    if (has('unmet')) row.prerequisite += 1;
    if (has('early')) row.premature += 1;
    const over = [
      ['validation_retries_exhausted', row.validation_retries > limits.max_validation_retries],
      ['tool_errors_exhausted', row.tool_errors > limits.max_tool_errors],
      ['prerequisite_violations_exhausted', row.prerequisite > limits.max_prerequisite_violations],
      ['premature_terminals_exhausted', row.premature > limits.max_premature_terminal_attempts],
    ] as const;
    const classes = over.flatMap(([name, isOver]) => (isOver ? [name] : []));
    if (classes.length > 0) return { turns: index + 1, classes };
    if (has('fine') && !has('unusable', 'broken', 'unmet', 'early')) {
      row.tool_errors = row.prerequisite = row.premature = 0;
    }
  }
  return { turns: script.length, classes: ['iterations_exhausted'] };
}

test('mixed mistakes end a run on the one after the limit of their kind', async () => {
  await fc.assert(
    fc.asyncProperty(replies, budgets, async (script, limits) => {
      const scripted = script.map(
        (parts, turn): Scripted =>
          parts.length === 0 ? 'text' : parts.map((part) => callOf(part, turn)),
      );
      const { outcome } = await runScript(buildPlan(NODES, { budgets: limits }), scripted);
      const expected = expectedEnd(script, limits);
      expect(outcome.turns).toBe(expected.turns);
      expect(expected.classes).toContain(outcome.failure_class);
    }),
    { numRuns: 100 },
  );
}, 60_000);
