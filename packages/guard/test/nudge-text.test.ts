import { nudgeText } from '@millforge/guard/messages';
import { stepNudgeText } from '@millforge/guard/steps';
import { expect, test } from 'vitest';

test('the tiers of a premature terminal lose politeness and the name of the terminal', () => {
  const texts = [1, 2, 3].map((tier) =>
    stepNudgeText({
      kind: 'premature-terminal',
      tier,
      terminal: 'submit',
      pending: ['read', 'check'],
    }),
  );
  expect(texts).toMatchInlineSnapshot(`
    [
      "[terminal_intent_invalid] submit is not available yet: these steps have to succeed first: read, check. Nothing of this reply was performed. Please do one of them now.",
      "[terminal_intent_invalid] Nothing was performed. Call one of the pending steps now: read, check.",
      "[terminal_intent_invalid] STOP. ONLY THE PENDING STEPS ARE ALLOWED: read, check. DO NOT CALL submit. Your next reply MUST call one of the pending steps.",
    ]
  `);
});

test('a prerequisite is named with the arguments that must agree', () => {
  const text = stepNudgeText({
    kind: 'unmet-prerequisite',
    tool: 'move',
    unmet: [
      {
        tool: 'read',
        matching: [
          { earlier: 'path', current: 'from' },
          { earlier: 'rev', current: 'rev' },
        ],
      },
      { tool: 'check', matching: [] },
    ],
  });
  expect(text).toBe(
    '[prerequisite_denied] move was not performed. First needed: a successful read with path equal to the from of this call and the same rev; a successful check. Do that now, then call move again.',
  );
});

test('long lists and long quotes are cut', () => {
  const tools = Array.from({ length: 100 }, (_, index) => `tool_${index}`);
  const text = nudgeText({ kind: 'unknown-tool', name: 'x'.repeat(100_000), tools });
  expect(text).toContain('and 36 more');
  expect(text.length).toBeLessThan(1500);
});

test('a problem that quotes the name of a property is cut between characters', () => {
  const text = nudgeText({
    kind: 'arguments-invalid',
    tool: 'read',
    problem: `$.${'x'.repeat(197)}${'\u{1F98A}'.repeat(100_000)} is not allowed`,
    expected: 'no such property',
    received: 'number',
  });
  expect(text.length).toBeLessThan(500);
  expect(text).toContain('x…');
});

test('alternatives are named together, and spent calls with their number', () => {
  const unmet = [{ anyOf: ['read', 'fetch'].map((tool) => ({ tool, matching: [] })) }];
  expect(stepNudgeText({ kind: 'unmet-prerequisite', tool: 'move', unmet })).toBe(
    '[prerequisite_denied] move was not performed. First needed: one of these: a successful read, or a successful fetch. Do that now, then call move again.',
  );
  expect(stepNudgeText({ kind: 'calls-spent', tool: 'move', max: 1 })).toBe(
    '[policy_denied] move was not performed. A run may make one call of it, and no call is left. Go on with another step.',
  );
});
